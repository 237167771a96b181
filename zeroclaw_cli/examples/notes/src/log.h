/* Records for the host's log. They name no key and no content: a log is read by other people than a memory. */
#ifndef NOTES_LOG_H
#define NOTES_LOG_H

#include "base.h"

enum { LEVEL_TRACE, LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARN, LEVEL_ERROR };
enum { ACTION_WRITE = 23, ACTION_VALIDATE = 35 };

/* Tells what `function` (as in `notes::store`) did, successfully. */
void log_line(u32 level, u32 action, text function, text what);

#endif
