/* GDAL's C interface, as far as it is used: declared here, so that nothing of GDAL's is needed to build, and found in
 * the library when the first raster is met. tests/test_gdal.c compares all of it with GDAL's own header. */
#ifndef SUREKRIG_IO_GDAL_H
#define SUREKRIG_IO_GDAL_H

#include "surekrig.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C(NAME, VALUE) */
#define GDAL_CONSTANTS(C)                                                                                              \
    C(GDT_Byte, 1)                                                                                                     \
    C(GDT_UInt16, 2)                                                                                                   \
    C(GDT_Int16, 3)                                                                                                    \
    C(GDT_Float32, 6)                                                                                                  \
    C(GDT_Float64, 7)                                                                                                  \
    C(GDT_UInt64, 12)                                                                                                  \
    C(GDT_Int64, 13)                                                                                                   \
    C(GF_Read, 0)                                                                                                      \
    C(GF_Write, 1)                                                                                                     \
    C(CE_None, 0)                                                                                                      \
    C(CE_Failure, 3)                                                                                                   \
    C(GCI_PaletteIndex, 2)                                                                                             \
    C(GCI_AlphaBand, 6)                                                                                                \
    C(GMF_ALL_VALID, 1)                                                                                                \
    C(GDAL_OF_RASTER, 2)                                                                                               \
    C(GDAL_OF_VECTOR, 4)                                                                                               \
    C(OFTInteger, 0)                                                                                                   \
    C(OFTReal, 2)                                                                                                      \
    C(OFTDate, 9)                                                                                                      \
    C(OFTDateTime, 11)                                                                                                 \
    C(OFTInteger64, 12)                                                                                                \
    C(GDAL_OF_MULTIDIM_RASTER, 16)                                                                                     \
    C(GDAL_OF_VERBOSE_ERROR, 64)                                                                                       \
    C(OAMS_TRADITIONAL_GIS_ORDER, 0)

#ifndef GDAL_H_INCLUDED
typedef void *GDALDatasetH;
typedef void *GDALRasterBandH;
typedef void *GDALMajorObjectH;
typedef void *GDALDriverH;
typedef void *OGRSpatialReferenceH;
typedef void *OGRLayerH;
typedef void *OGRFeatureH;
typedef void *OGRFeatureDefnH;
typedef void *OGRFieldDefnH;
typedef void *OGRGeometryH;
typedef struct GDALGroupHS *GDALGroupH;
typedef struct GDALMDArrayHS *GDALMDArrayH;
typedef struct GDALDimensionHS *GDALDimensionH;
typedef struct GDALAttributeHS *GDALAttributeH;
typedef struct GDALExtendedDataTypeHS *GDALExtendedDataTypeH;
typedef struct GDALRasterIOExtraArg GDALRasterIOExtraArg;
typedef char **CSLConstList;
typedef unsigned GDALDataType, GDALRWFlag, CPLErr, GDALColorInterp, OSRAxisMappingStrategy, OGRFieldType,
    OGRwkbGeometryType;
typedef long long GIntBig;
typedef int64_t GPtrDiff_t;
typedef uint64_t GUInt64;
typedef int64_t GInt64;
typedef void (*CPLErrorHandler)(CPLErr, int, const char *);
#define GDAL_CONSTANT(name, number) name = number,
enum { GDAL_CONSTANTS(GDAL_CONSTANT) };
#undef GDAL_CONSTANT
#endif

/* F(RETURNS, NAME, (ARGUMENTS)) */
#define GDAL_FUNCTIONS(F)                                                                                              \
    F(void, GDALAllRegister, (void))                                                                                   \
    F(CPLErrorHandler, CPLSetErrorHandler, (CPLErrorHandler))                                                          \
    F(void, VSIFree, (void *))                                                                                         \
    F(void, CPLSetConfigOption, (const char *, const char *))                                                          \
    F(void, GDALDeregisterDriver, (GDALDriverH))                                                                       \
    F(void, GDALDestroyDriver, (GDALDriverH))                                                                          \
    F(GDALDatasetH, GDALOpenEx,                                                                                        \
      (const char *, unsigned, const char *const *, const char *const *, const char *const *))                         \
    F(void, GDALClose, (GDALDatasetH))                                                                                 \
    F(GDALDriverH, GDALGetDatasetDriver, (GDALDatasetH))                                                               \
    F(char **, GDALGetFileList, (GDALDatasetH))                                                                        \
    F(void, CSLDestroy, (char **))                                                                                     \
    F(int, GDALGetRasterXSize, (GDALDatasetH))                                                                         \
    F(int, GDALGetRasterYSize, (GDALDatasetH))                                                                         \
    F(int, GDALGetRasterCount, (GDALDatasetH))                                                                         \
    F(CPLErr, GDALGetGeoTransform, (GDALDatasetH, double *))                                                           \
    F(CPLErr, GDALSetGeoTransform, (GDALDatasetH, double *))                                                           \
    F(int, GDALGetGCPCount, (GDALDatasetH))                                                                            \
    F(OGRSpatialReferenceH, GDALGetSpatialRef, (GDALDatasetH))                                                         \
    F(CPLErr, GDALSetSpatialRef, (GDALDatasetH, OGRSpatialReferenceH))                                                 \
    F(char **, GDALGetMetadata, (GDALMajorObjectH, const char *))                                                      \
    F(const char *, GDALGetMetadataItem, (GDALMajorObjectH, const char *, const char *))                               \
    F(CPLErr, GDALSetMetadataItem, (GDALMajorObjectH, const char *, const char *, const char *))                       \
    F(const char *, GDALGetDescription, (GDALMajorObjectH))                                                            \
    F(void, GDALSetDescription, (GDALMajorObjectH, const char *))                                                      \
    F(GDALRasterBandH, GDALGetRasterBand, (GDALDatasetH, int))                                                         \
    F(GDALDataType, GDALGetRasterDataType, (GDALRasterBandH))                                                          \
    F(int, GDALDataTypeIsComplex, (GDALDataType))                                                                      \
    F(GDALColorInterp, GDALGetRasterColorInterpretation, (GDALRasterBandH))                                            \
    F(double, GDALGetRasterNoDataValue, (GDALRasterBandH, int *))                                                      \
    F(CPLErr, GDALSetRasterNoDataValue, (GDALRasterBandH, double))                                                     \
    F(int, GDALGetMaskFlags, (GDALRasterBandH))                                                                        \
    F(GDALRasterBandH, GDALGetMaskBand, (GDALRasterBandH))                                                             \
    F(double, GDALGetRasterScale, (GDALRasterBandH, int *))                                                            \
    F(CPLErr, GDALSetRasterScale, (GDALRasterBandH, double))                                                           \
    F(double, GDALGetRasterOffset, (GDALRasterBandH, int *))                                                           \
    F(CPLErr, GDALSetRasterOffset, (GDALRasterBandH, double))                                                          \
    F(const char *, GDALGetRasterUnitType, (GDALRasterBandH))                                                          \
    F(CPLErr, GDALSetRasterUnitType, (GDALRasterBandH, const char *))                                                  \
    F(CPLErr, GDALRasterIO,                                                                                            \
      (GDALRasterBandH, GDALRWFlag, int, int, int, int, void *, int, int, GDALDataType, int, int))                     \
    F(GDALDriverH, GDALGetDriverByName, (const char *))                                                                \
    F(GDALDatasetH, GDALCreate, (GDALDriverH, const char *, int, int, int, GDALDataType, CSLConstList))                \
    F(OGRSpatialReferenceH, OSRNewSpatialReference, (const char *))                                                    \
    F(int, OSRSetFromUserInput, (OGRSpatialReferenceH, const char *))                                                  \
    F(void, OSRSetAxisMappingStrategy, (OGRSpatialReferenceH, OSRAxisMappingStrategy))                                 \
    F(void, OSRDestroySpatialReference, (OGRSpatialReferenceH))                                                        \
    F(int, OSRIsGeographic, (OGRSpatialReferenceH))                                                                    \
    F(int, OSRExportToWkt, (OGRSpatialReferenceH, char **))                                                            \
    F(double, OSRGetLinearUnits, (OGRSpatialReferenceH, char **))                                                      \
    F(GDALDatasetH, GDALCreateMultiDimensional, (GDALDriverH, const char *, CSLConstList, CSLConstList))               \
    F(GDALGroupH, GDALDatasetGetRootGroup, (GDALDatasetH))                                                             \
    F(void, GDALGroupRelease, (GDALGroupH))                                                                            \
    F(GDALDimensionH, GDALGroupCreateDimension,                                                                        \
      (GDALGroupH, const char *, const char *, const char *, GUInt64, CSLConstList))                                   \
    F(void, GDALDimensionRelease, (GDALDimensionH))                                                                    \
    F(void, GDALReleaseDimensions, (GDALDimensionH *, size_t))                                                         \
    F(const char *, GDALDimensionGetName, (GDALDimensionH))                                                            \
    F(GUInt64, GDALDimensionGetSize, (GDALDimensionH))                                                                 \
    F(GDALMDArrayH, GDALDimensionGetIndexingVariable, (GDALDimensionH))                                                \
    F(GDALMDArrayH, GDALGroupCreateMDArray,                                                                            \
      (GDALGroupH, const char *, size_t, GDALDimensionH *, GDALExtendedDataTypeH, CSLConstList))                       \
    F(void, GDALMDArrayRelease, (GDALMDArrayH))                                                                        \
    F(const char *, GDALMDArrayGetName, (GDALMDArrayH))                                                                \
    F(const char *, GDALMDArrayGetUnit, (GDALMDArrayH))                                                                \
    F(GDALMDArrayH, GDALGroupResolveMDArray, (GDALGroupH, const char *, const char *, CSLConstList))                   \
    F(GDALDimensionH *, GDALMDArrayGetDimensions, (GDALMDArrayH, size_t *))                                            \
    F(int, GDALMDArrayRead,                                                                                            \
      (GDALMDArrayH, const GUInt64 *, const size_t *, const GInt64 *, const GPtrDiff_t *, GDALExtendedDataTypeH,       \
       void *, const void *, size_t))                                                                                  \
    F(GDALAttributeH, GDALGroupCreateAttribute,                                                                        \
      (GDALGroupH, const char *, size_t, const GUInt64 *, GDALExtendedDataTypeH, CSLConstList))                        \
    F(GDALAttributeH, GDALMDArrayCreateAttribute,                                                                      \
      (GDALMDArrayH, const char *, size_t, const GUInt64 *, GDALExtendedDataTypeH, CSLConstList))                      \
    F(int, GDALAttributeWriteString, (GDALAttributeH, const char *))                                                   \
    F(void, GDALAttributeRelease, (GDALAttributeH))                                                                    \
    F(GDALExtendedDataTypeH, GDALExtendedDataTypeCreate, (GDALDataType))                                               \
    F(GDALExtendedDataTypeH, GDALExtendedDataTypeCreateString, (size_t))                                               \
    F(void, GDALExtendedDataTypeRelease, (GDALExtendedDataTypeH))                                                      \
    F(int, GDALMDArraySetNoDataValueAsDouble, (GDALMDArrayH, double))                                                  \
    F(int, GDALMDArraySetScale, (GDALMDArrayH, double))                                                                \
    F(int, GDALMDArraySetOffset, (GDALMDArrayH, double))                                                               \
    F(int, GDALMDArraySetSpatialRef, (GDALMDArrayH, OGRSpatialReferenceH))                                             \
    F(int, GDALDatasetGetLayerCount, (GDALDatasetH))                                                                   \
    F(OGRLayerH, GDALDatasetGetLayer, (GDALDatasetH, int))                                                             \
    F(const char *, OGR_L_GetName, (OGRLayerH))                                                                        \
    F(OGRFeatureDefnH, OGR_L_GetLayerDefn, (OGRLayerH))                                                                \
    F(OGRwkbGeometryType, OGR_L_GetGeomType, (OGRLayerH))                                                              \
    F(int, OGR_GT_HasZ, (OGRwkbGeometryType))                                                                          \
    F(OGRSpatialReferenceH, OGR_L_GetSpatialRef, (OGRLayerH))                                                          \
    F(GIntBig, OGR_L_GetFeatureCount, (OGRLayerH, int))                                                                \
    F(void, OGR_L_ResetReading, (OGRLayerH))                                                                           \
    F(OGRFeatureH, OGR_L_GetNextFeature, (OGRLayerH))                                                                  \
    F(int, OGR_FD_GetFieldCount, (OGRFeatureDefnH))                                                                    \
    F(OGRFieldDefnH, OGR_FD_GetFieldDefn, (OGRFeatureDefnH, int))                                                      \
    F(const char *, OGR_Fld_GetNameRef, (OGRFieldDefnH))                                                               \
    F(OGRFieldType, OGR_Fld_GetType, (OGRFieldDefnH))                                                                  \
    F(void, OGR_F_Destroy, (OGRFeatureH))                                                                              \
    F(int, OGR_F_IsFieldSetAndNotNull, (OGRFeatureH, int))                                                             \
    F(double, OGR_F_GetFieldAsDouble, (OGRFeatureH, int))                                                              \
    F(const char *, OGR_F_GetFieldAsString, (OGRFeatureH, int))                                                        \
    F(OGRGeometryH, OGR_F_GetGeometryRef, (OGRFeatureH))                                                               \
    F(const char *, OGR_G_GetGeometryName, (OGRGeometryH))                                                             \
    F(int, OGR_G_IsEmpty, (OGRGeometryH))                                                                              \
    F(int, OGR_G_GetGeometryCount, (OGRGeometryH))                                                                     \
    F(OGRGeometryH, OGR_G_GetGeometryRef, (OGRGeometryH, int))                                                         \
    F(double, OGR_G_GetX, (OGRGeometryH, int))                                                                         \
    F(double, OGR_G_GetY, (OGRGeometryH, int))                                                                         \
    F(int, GDALMDArrayWrite,                                                                                           \
      (GDALMDArrayH, const GUInt64 *, const size_t *, const GInt64 *, const GPtrDiff_t *, GDALExtendedDataTypeH,       \
       const void *, const void *, size_t))

#define GDAL_POINTER(returns, name, arguments) returns(*name) arguments;
typedef struct gdal_api {
    GDAL_FUNCTIONS(GDAL_POINTER)
} gdal_api;
#undef GDAL_POINTER

/* NULL, and a sentence, where there is no GDAL on this machine. */
const gdal_api *gdal_load(surekrig_error *error);
/* Forgets what GDAL complained of. */
void gdal_listen(void);
/* Its first complaint since, fit for a sentence; NULL: none. */
const char *gdal_complaint(void);
/* Whether it went on, since, without something of a file that could not be read. */
bool gdal_unread(void);

#endif
