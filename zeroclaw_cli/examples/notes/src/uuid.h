/* Names for agents. */
#ifndef NOTES_UUID_H
#define NOTES_UUID_H

#include "base.h"

#define UUID_LENGTH 36u

/* The version 5 UUID (RFC 9562) of `name` in this plugin's own name space: the same name gives the same id anywhere.
 * Writes UUID_LENGTH bytes. */
void put_uuid(u8 *to, text name);

#endif
