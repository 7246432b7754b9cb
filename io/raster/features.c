/* A file of features that are points, as GeoPackage and GeoJSON hold them, as a table: a row a feature; its x and y (lon
 * and lat in degrees), then a column a field: numbers, dates, or text that is either. */
#include "file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what begins as below. */
static const char *const DRIVERS[] = {"GPKG",     "GeoJSON",        "GeoJSONSeq", "TopoJSON",
                                      "ESRIJSON", "ESRI Shapefile", "FlatGeobuf", NULL};

enum { COORDINATES = 2, LONGEST = 128, AHEAD = 100 }; /* of a number as text; rows that are looked at for dates */

typedef struct feature_table {
    const gdal_api *gdal;
    GDALDatasetH set;
    OGRLayerH layer;
    int64_t read, count; /* rows */
} feature_table;

/* --------------------------------------------------------------------------------------------------- recognising */

/* GeoPackage is SQLite with a mark of its own, which a model file does not have. */
static bool begins_features(const io_source *source)
{
    const char *byte = source->buffer;
    size_t count = io_names_table(source->path) ? 0 : source->end;
    bool geopackage = count >= IO_MAGIC && !memcmp(byte, "SQLite", 6) && !memcmp(byte + 68, "GP", 2);
    bool geojson = count > 0 && byte[strspn(byte, " \t\r\n")] == '{';
    bool shapefile = count >= 4 && !memcmp(byte, "\0\0\x27\x0a", 4);
    return geopackage || geojson || shapefile || (count >= 4 && !memcmp(byte, "fgb\3", 4)); /* FlatGeobuf */
}

/* ------------------------------------------------------------------------------------------------------- opening */

static surekrig_status choose_layer(const io_reader *reader, feature_table *table, surekrig_error *error)
{
    const gdal_api *g = table->gdal;
    int layers = g->GDALDatasetGetLayerCount(table->set);
    char list[200] = "";
    size_t used = 0;
    for (int i = 0; i < layers && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 g->OGR_L_GetName(g->GDALDatasetGetLayer(table->set, i)));
    const char *label = io_label(reader->source.path);
    if (layers != 1)
        return io_fail(error, SUREKRIG_DATA,
                       "%s holds %d layers (%s), and one is needed: 'ogr2ogr one.gpkg %s LAYER' makes a file of it",
                       label, layers, list, label);
    table->layer = g->GDALDatasetGetLayer(table->set, 0);
    table->count = g->OGR_L_GetFeatureCount(table->layer, 1);
    return SUREKRIG_OK;
}

static surekrig_status name_columns(io_reader *reader, const feature_table *table, surekrig_error *error)
{
    const gdal_api *g = table->gdal;
    OGRFeatureDefnH defined = g->OGR_L_GetLayerDefn(table->layer);
    OGRSpatialReferenceH crs = g->OGR_L_GetSpatialRef(table->layer);
    bool geographic = crs && g->OSRIsGeographic(crs);
    raster_names set = {0};
    surekrig_status status = io_reader_columns(reader, COORDINATES + g->OGR_FD_GetFieldCount(defined), error);
    if (!status && !raster_names_new(&set, reader->columns))
        status = io_fail_memory(error, reader->source.path);
    reader->named = true;
    for (int i = 0; i < reader->columns && !status; i++) {
        OGRFieldDefnH field = i < COORDINATES ? NULL : g->OGR_FD_GetFieldDefn(defined, i - COORDINATES);
        OGRFieldType type = field ? g->OGR_Fld_GetType(field) : OFTReal;
        const char *given = field    ? g->OGR_Fld_GetNameRef(field)
                            : i == 0 ? (geographic ? "lon" : "x")
                                     : (geographic ? "lat" : "y");
        free(reader->name[i]);
        reader->name[i] = raster_names_take(&set, given, "field", i + 1);
        if (!reader->name[i])
            status = io_fail_memory(error, reader->source.path);
        reader->numeric[i] = type == OFTInteger || type == OFTInteger64 || type == OFTReal;
        reader->dates[i] = type == OFTDate ? IO_DATES : type == OFTDateTime ? IO_TIMES : IO_NO_DATES;
    }
    free(set.slot);
    return status;
}

/* A text is a date, and a time has a zone, where the first that is there is and has: as in CSV. */
static void look_for_dates(io_reader *reader, const feature_table *table)
{
    const gdal_api *g = table->gdal;
    bool known = false;
    for (int i = COORDINATES; i < reader->columns; i++)
        reader->open[i] = !reader->numeric[i] && reader->dates[i] != IO_DATES;
    for (int row = 0; row < AHEAD && !known; row++) {
        OGRFeatureH feature = g->OGR_L_GetNextFeature(table->layer);
        known = true;
        for (int i = COORDINATES; i < reader->columns && feature; i++) {
            bool there = reader->open[i] && g->OGR_F_IsFieldSetAndNotNull(feature, i - COORDINATES);
            const char *text = there ? g->OGR_F_GetFieldAsString(feature, i - COORDINATES) : "";
            double days;
            if (!io_means_missing(text, strlen(text)) && !io_is_mark(reader->dialect.missing, text, strlen(text))) {
                reader->dates[i] = io_parse_date(text, strlen(text), &days);
                reader->date_like[i] = !reader->dates[i] && io_looks_like_date(text, strlen(text));
                reader->open[i] = false;
            }
            known &= !reader->open[i];
        }
        if (feature)
            g->OGR_F_Destroy(feature);
    }
    for (int i = COORDINATES; i < reader->columns; i++)
        reader->open[i] &= reader->dates[i] == IO_TIMES; /* whether with a zone is still to be seen */
    g->OGR_L_ResetReading(table->layer);
}

static surekrig_status open_features(io_reader *reader, surekrig_error *error)
{
    feature_table *table = reader->state = calloc(1, sizeof *table);
    if (!table)
        return io_fail_memory(error, reader->source.path);
    if (!strcmp(reader->source.path, "standard input"))
        return io_fail(error, SUREKRIG_FILE,
                       "features are read here and there, which standard input does not allow: name their file");
    table->gdal = gdal_load(error);
    if (!table->gdal)
        return SUREKRIG_FILE;
    surekrig_status status = raster_trust(table->gdal, reader->source.path, NULL, error);
    if (status)
        return status;
    gdal_listen();
    table->set = table->gdal->GDALOpenEx(reader->source.path, GDAL_OF_VECTOR | GDAL_OF_VERBOSE_ERROR, DRIVERS, NULL,
                                         NULL);
    if (!table->set)
        return raster_fail("cannot read", reader->source.path, error);
    status = choose_layer(reader, table, error);
    if (!status)
        status = name_columns(reader, table, error);
    if (!status)
        look_for_dates(reader, table);
    return status;
}

static void close_features(void *state)
{
    feature_table *table = state;
    if (table && table->set)
        table->gdal->GDALClose(table->set);
    free(table);
}

/* ------------------------------------------------------------------------------------------------------- reading */

/* A point, or one in a set of its own; NaN where there is none. */
static surekrig_status take_place(const io_reader *reader, OGRFeatureH feature, double xy[2], surekrig_error *error)
{
    const feature_table *table = reader->state;
    const gdal_api *g = table->gdal;
    OGRGeometryH shape = g->OGR_F_GetGeometryRef(feature);
    xy[0] = xy[1] = NAN;
    if (!shape || g->OGR_G_IsEmpty(shape))
        return SUREKRIG_OK;
    const char *kind = g->OGR_G_GetGeometryName(shape);
    if (!strcmp(kind, "MULTIPOINT") && g->OGR_G_GetGeometryCount(shape) == 1)
        shape = g->OGR_G_GetGeometryRef(shape, 0);
    else if (strcmp(kind, "POINT") != 0)
        return io_fail(error, SUREKRIG_DATA, "%s, row %lld is a %s and no point", io_label(reader->source.path),
                       (long long)table->read + 1, kind);
    xy[0] = g->OGR_G_GetX(shape, 0);
    xy[1] = g->OGR_G_GetY(shape, 0);
    return SUREKRIG_OK;
}

static surekrig_status fail_field(const io_reader *reader, int column, const char *text, const char *why,
                                  surekrig_error *error)
{
    const feature_table *table = reader->state;
    char shown[IO_SHOWN];
    return io_fail(error, SUREKRIG_FILE, "%s, row %lld, column %s: '%s' %s", io_label(reader->source.path),
                   (long long)table->read + 1, reader->name[column], io_show(text, strlen(text), shown), why);
}

/* Text that is a number or, in a column of them, a date. */
static surekrig_status take_text(const io_reader *reader, int column, const char *text, double *value,
                                 surekrig_error *error)
{
    char copy[LONGEST + IO_AHEAD] = "";
    size_t length = strlen(text);
    memcpy(copy, text, length < LONGEST ? length : 0);
    io_kind kind = length < LONGEST ? io_parse_number(copy, length, value) : IO_WORD;
    if (kind == IO_MISSING || io_is_mark(reader->dialect.missing, text, length)) {
        *value = NAN;
        return SUREKRIG_OK;
    }
    if (reader->open[column])
        reader->dates[column] = io_parse_date(text, length, value);
    reader->open[column] = false;
    const char *why = reader->dates[column] ? io_take_date(&reader->dates[column], text, length, value)
                      : kind == IO_NUMBER   ? NULL
                                            : "is not a number";
    return why ? fail_field(reader, column, text, why, error) : SUREKRIG_OK;
}

static surekrig_status take_field(const io_reader *reader, OGRFeatureH feature, int column, double *value,
                                  surekrig_error *error)
{
    const gdal_api *g = ((const feature_table *)reader->state)->gdal;
    int field = column - COORDINATES;
    *value = NAN;
    if (!g->OGR_F_IsFieldSetAndNotNull(feature, field))
        return SUREKRIG_OK;
    if (!reader->numeric[column])
        return take_text(reader, column, g->OGR_F_GetFieldAsString(feature, field), value, error);
    *value = g->OGR_F_GetFieldAsDouble(feature, field);
    return SUREKRIG_OK;
}

static bool keep_row(io_reader *reader, OGRFeatureH feature, const double xy[2])
{
    const gdal_api *g = ((const feature_table *)reader->state)->gdal;
    bool whole = true;
    for (int i = 0; i < reader->keeps && whole; i++) {
        int column = reader->kept[i], field = column - COORDINATES;
        char number[IO_PRINTED + 1] = "";
        if (field < 0 && !isnan(xy[column]))
            number[io_print_number(xy[column], number)] = 0;
        bool there = field >= 0 && g->OGR_F_IsFieldSetAndNotNull(feature, field);
        whole = io_text_cell(&reader->cells, there ? g->OGR_F_GetFieldAsString(feature, field) : number);
    }
    return whole && io_text_append(&reader->cells, "", 1);
}

static surekrig_status take_row(io_reader *reader, OGRFeatureH feature, double *row, surekrig_error *error)
{
    double xy[2];
    surekrig_status status = take_place(reader, feature, xy, error);
    for (int i = 0; i < reader->selections && !status; i++) {
        int column = reader->selected[i];
        if (column < COORDINATES)
            row[i] = xy[column];
        else
            status = take_field(reader, feature, column, &row[i], error);
    }
    if (!status && reader->keeps && !keep_row(reader, feature, xy))
        status = io_fail_memory(error, reader->source.path);
    return status;
}

static surekrig_status read_features(io_reader *reader, int64_t limit, double *value, int64_t *rows,
                                     surekrig_error *error)
{
    feature_table *table = reader->state;
    int64_t done = 0;
    surekrig_status status = SUREKRIG_OK;
    gdal_listen();
    for (OGRFeatureH feature; done < limit && !status && (feature = table->gdal->OGR_L_GetNextFeature(table->layer));) {
        status = take_row(reader, feature, value + done * reader->selections, error);
        table->gdal->OGR_F_Destroy(feature);
        table->read++;
        done++;
    }
    if (!status && done < limit && gdal_complaint())
        status = raster_fail("cannot read", reader->source.path, error);
    if (!status)
        *rows = done;
    return status;
}

static int64_t features_left(const io_reader *reader)
{
    const feature_table *table = reader->state;
    return table->count > table->read ? table->count - table->read : 0;
}

const io_read_format io_read_features = {begins_features, NULL,           open_features, read_features,
                                         features_left,   close_features, true};

bool io_table_heights(const io_reader *reader)
{
    const feature_table *table = reader->format == &io_read_features ? reader->state : NULL;
    return table && table->gdal->OGR_GT_HasZ(table->gdal->OGR_L_GetGeomType(table->layer));
}
