/* A picture is made in a folder of its own beside its place, with its script and data, and renamed when it is whole. */
#include "report.h"

#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Suffixes, and how a file of that kind ends when it is whole. */
static const struct {
    const char *suffix, *end;
} KINDS[] = {{"png", "IEND\xae\x42\x60\x82"}, {"svg", "</svg>"}, {"pdf", "%%EOF"}};
enum { COUNT = sizeof KINDS / sizeof *KINDS };

static surekrig_status fail(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static surekrig_status fail(surekrig_error *error, surekrig_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return error->status = status;
}

static surekrig_status cannot_write(const char *path, int reason, surekrig_error *error)
{
    return fail(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(reason));
}

/* ---- opening */

const char *report_picture_kind(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    for (int i = 0; dot && dot > name && i < COUNT; i++)
        if (!strcasecmp(dot + 1, KINDS[i].suffix))
            return KINDS[i].suffix;
    return NULL;
}

/* The file to be replaced, or the new one, behind a link too; NULL with errno. A name that a script cannot hold is
 * refused. */
static char *final_path(const char *path)
{
    struct stat old;
    errno = EINVAL;
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at < ' ')
            return NULL;
    if (stat(path, &old))
        return errno == ENOENT || errno == ENOTDIR ? io_place(path) : NULL;
    if (!S_ISREG(old.st_mode)) {
        errno = S_ISDIR(old.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    return access(path, W_OK) ? NULL : realpath(path, NULL); /* a rename would get around the old file's protection */
}

/* FOLDER/STEM.SUFFIX; folder NULL: the picture's final one. The caller's to free. */
static char *path_of(const report_picture *p, const char *folder, const char *suffix)
{
    const char *slash = strrchr(p->final, '/');
    int length = folder ? (int)strlen(folder) : slash ? (int)(slash - p->final) : 1;
    size_t size = (size_t)length + strlen(p->stem) + strlen(suffix) + 3;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s/%s.%s", length, folder ? folder : slash ? p->final : ".", p->stem, suffix);
    return path;
}

static FILE *create(const report_picture *p, const char *suffix)
{
    char *path = path_of(p, p->folder, suffix);
    FILE *file = path ? fopen(path, "w") : NULL;
    free(path);
    return file;
}

/* Where it will be; false with errno. */
static bool find_place(report_picture *p, const char *path)
{
    *p = (report_picture){.kind = report_picture_kind(path), .path = path, .final = final_path(path)};
    if (!p->final)
        return false;
    const char *slash = strrchr(p->final, '/'), *name = slash ? slash + 1 : p->final;
    const char *dot = strrchr(name, '.');
    p->stem = strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    return p->stem;
}

char *report_picture_beside(const char *path, const char *suffix)
{
    report_picture p;
    char *beside = find_place(&p, path) ? path_of(&p, NULL, suffix) : NULL;
    report_picture_close(&p);
    return beside;
}

surekrig_status report_picture_open(const char *path, report_picture *p, surekrig_error *error)
{
    if (!find_place(p, path) || !(p->folder = io_make_folder(p->final, &p->held)) || !(p->script = create(p, "gp")) ||
        !(p->data = create(p, "gp.dat"))) {
        int reason = errno;
        report_picture_close(p);
        return cannot_write(path, reason, error);
    }
    return SUREKRIG_OK;
}

/* To gnuplot '|NAME' and '<NAME' are commands to run, '-', '+' and '~' no files either: only a name that begins like a
 * word stands as it is, others have ./ before them. */
static void write_file_name(const report_picture *p, const char *suffix)
{
    char path[300]; /* a file of the stem is there already, so that it is no longer than a file's name */
    snprintf(path, sizeof path, "./%s.%s", p->stem, suffix);
    bool word = isalnum((unsigned char)path[2]) || path[2] == '_' || (unsigned char)path[2] > 0x7f;
    report_text(p->script, path + (word ? 2 : 0));
}

void report_picture_name_data(report_picture *p)
{
    write_file_name(p, "gp.dat");
}

void report_picture_begin(report_picture *p, int width, int height)
{
    fputs("# draws ", p->script);
    write_file_name(p, p->kind);
    fputs(" from the file beside it: gnuplot ", p->script);
    write_file_name(p, "gp");
    fputc('\n', p->script);
    report_terminal(p->script, p->kind, width, height);
    fputs("set output ", p->script);
    write_file_name(p, p->kind);
    fputc('\n', p->script);
    report_style(p->script);
}

/* ---- drawing */

/* 0, or why what was written is not in the file. */
static int finish(FILE **file)
{
    errno = 0;
    bool bad = fflush(*file) || ferror(*file);
    int reason = errno;
    bad |= fclose(*file) != 0;
    *file = NULL;
    return bad ? reason ? reason : ENOSPC : 0;
}

/* Whether the picture is there to its last byte. */
static bool is_whole(const report_picture *p)
{
    char *path = path_of(p, p->folder, p->kind), tail[16];
    int file = path ? open(path, O_RDONLY) : -1;
    bool whole = false;
    if (file >= 0) {
        off_t size = lseek(file, 0, SEEK_END);
        ssize_t got = size >= 16 ? pread(file, tail, 16, size - 16) : 0;
        while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r'))
            got--;
        for (int i = 0; i < COUNT; i++) {
            ssize_t length = (ssize_t)strlen(KINDS[i].end);
            whole |= p->kind == KINDS[i].suffix && got >= length &&
                     !memcmp(tail + got - length, KINDS[i].end, (size_t)length);
        }
        close(file);
    }
    free(path);
    return whole;
}

/* What gnuplot said last: the last line that is not blank and does not only point at a place in the script. */
static surekrig_status complain(const report_picture *p, surekrig_error *error)
{
    char path[4096], line[300], said[300] = "";
    snprintf(path, sizeof path, "%s/gnuplot.log", p->folder);
    FILE *log = fopen(path, "r");
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = 0;
        if (strspn(line, " \t^") < strlen(line))
            strcpy(said, line);
    }
    if (log)
        fclose(log);
    char *picture = path_of(p, p->folder, p->kind);
    int reason = picture ? io_why_no_longer(picture) : 0; /* it does not say that a disk is full: that was a warning */
    free(picture);
    if (reason)
        return cannot_write(p->path, reason, error);
    return fail(error, SUREKRIG_FILE, "gnuplot could not draw it%s%s", *said ? ": " : "", said);
}

/* As what it replaces, if there is something, and on the disk. */
static bool dress(const char *path, const char *old)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    io_dress_as(fd, old);
    int failed = fsync(fd), reason = errno;
    close(fd);
    errno = reason;
    return !failed;
}

static surekrig_status move(const report_picture *p, const char *suffix, surekrig_error *error)
{
    char *from = path_of(p, p->folder, suffix), *named = path_of(p, NULL, suffix), *to = NULL;
    surekrig_status status = SUREKRIG_OK;
    errno = ENOMEM;
    if (from && named)
        to = strcmp(suffix, p->kind) ? io_place(named) : strdup(p->final);
    if (!to || !dress(from, to) || rename(from, to))
        status = cannot_write(to ? to : p->path, errno, error);
    free(from);
    free(named);
    free(to);
    return status;
}

surekrig_status report_picture_draw(report_picture *p, bool keep, int (*stop)(void), surekrig_error *error)
{
    char script[300];
    snprintf(script, sizeof script, "./%s.gp", p->stem); /* a name may begin with a dash */
    int data = finish(&p->data), reason = finish(&p->script);
    if (data || reason)
        return cannot_write(p->path, data ? data : reason, error);
    report_end end = report_gnuplot(p->folder, script, stop);
    if (end == REPORT_STOPPED)
        return fail(error, SUREKRIG_STOPPED, "interrupted; nothing was written");
    if (end == REPORT_NO_GNUPLOT)
        return fail(error, SUREKRIG_FILE, "there is no gnuplot to draw with; %s", report_install);
    if (end == REPORT_FAILED || !is_whole(p))
        return complain(p, error);
    surekrig_status status = keep ? move(p, "gp.dat", error) : SUREKRIG_OK;
    if (!status && keep)
        status = move(p, "gp", error);
    if (!status)
        status = move(p, p->kind, error);
    int unsynced = status ? 0 : io_sync_folder_of(p->final);
    return unsynced ? cannot_write(p->path, unsynced, error) : status;
}

void report_picture_close(report_picture *p)
{
    if (p->script)
        fclose(p->script);
    if (p->data)
        fclose(p->data);
    if (p->folder)
        io_remove_folder(p->folder, p->held);
    free(p->folder);
    free(p->final);
    free(p->stem);
    *p = (report_picture){0};
}
