/* Keeps what store-entry is given in files: the key is a path below the first folder that the host opens to it. The file
 * `hold` it opens once for each byte of the content, and leaves it open. */
#include "faults.h"

#include "heap.h"

typedef struct {
    u32 descriptor;
    text name;
} folder;

typedef struct {
    folder *items;
    u32 count;
} folders;

/* The canonical results of open-at, read and write. */
typedef struct {
    u8 is_err;
    union {
        u32 descriptor;
        u8 code;
    };
} opened;

typedef struct {
    u8 is_err;
    union {
        struct {
            const u8 *data;
            u32 length;
            u8 at_end;
        };
        u8 code;
    };
} bytes_read;

typedef struct {
    u8 is_err;
    union {
        u64 length;
        u8 code;
    };
} bytes_written;

enum { OPEN_CREATE = 1, OPEN_TRUNCATE = 8 };
enum { MAY_READ = 1, MAY_WRITE = 2 };

#define TYPES "wasi:filesystem/types@0.2.0"
IMPORT("wasi:filesystem/preopens@0.2.0", "get-directories") void get_directories(folders *result);
IMPORT(TYPES, "[resource-drop]descriptor") void drop_descriptor(u32 descriptor);
IMPORT(TYPES, "[method]descriptor.open-at")
void open_at(u32 folder, u32 path_flags, TEXT_IN(path), u32 open_flags, u32 flags, opened *result);
IMPORT(TYPES, "[method]descriptor.read") void read(u32 file, u64 length, u64 offset, bytes_read *result);
IMPORT(TYPES, "[method]descriptor.write") void write(u32 file, TEXT_IN(buffer), u64 offset, bytes_written *result);

/* The first folder, asked for once: the host gives the descriptors away. */
static const folder *root(void) {
    static folder first;
    static int asked;
    folders all = {NULL, 0};
    if (!asked) get_directories(&all);
    asked = 1;
    if (all.count) first = (folder){all.items[0].descriptor, TEXT("the first one")};
    return first.name.length ? &first : NULL;
}

static int fail(text *problem, text what) {
    *problem = what;
    return 1;
}

int in_store_entry(text key, text content, text *problem) {
    opened file;
    bytes_written done;
    if (!root()) return fail(problem, TEXT("the host opens no folder to this plugin"));
    if (text_equal(key, TEXT("hold"))) {
        for (u32 i = 0; i < content.length; i++) {
            open_at(root()->descriptor, 0, key.data, key.length, OPEN_CREATE, MAY_WRITE, &file);
        }
        return 0;
    }
    open_at(root()->descriptor, 0, key.data, key.length, OPEN_CREATE | OPEN_TRUNCATE, MAY_WRITE, &file);
    if (file.is_err) return fail(problem, TEXT("the file cannot be opened for writing"));
    for (u64 offset = 0; offset < content.length; offset += done.length) {
        write(file.descriptor, content.data + offset, content.length - (u32)offset, offset, &done);
        if (!done.is_err) continue;
        drop_descriptor(file.descriptor);
        return fail(problem, TEXT("the file cannot be written"));
    }
    drop_descriptor(file.descriptor);
    return 0;
}

int in_get(text key, entry *found) {
    opened file;
    bytes_read part;
    if (!root()) return 0;
    open_at(root()->descriptor, 0, key.data, key.length, 0, MAY_READ, &file);
    if (file.is_err) return 0;
    read(file.descriptor, MEBIBYTE, 0, &part);
    drop_descriptor(file.descriptor);
    if (part.is_err) return 0;
    *found = bare_entry((text){part.data, part.length});
    found->key = key;
    return 1;
}
