# spacetime.R data FOLDER: what Debian's r-cran-spacetime and r-cran-stars carry:
#   air.csv       PM10 at German stations by day, January to March 2005: station, x and y in km, day, pm10
#   bcsd.nc       monthly temperature and rain on 81 x 33 cells, 1999
# spacetime.R joint|daily TRAIN.csv TEST.csv OUT.csv: the whole job by gstat, of tables x, y, day and the response: krigeST with a
# separable variogram and 50 neighbours in space and time, or krige of each day by itself with one variogram of all days. Writes
# the test rows' mean and sd.
suppressPackageStartupMessages({ library(sp); library(spacetime); library(gstat) })
arguments <- commandArgs(trailingOnly = TRUE)

write_data <- function(folder) {
    suppressPackageStartupMessages(library(stars))
    data(air)
    days <- which(dates >= as.Date("2005-01-01") & dates <= as.Date("2005-03-31"))
    at <- coordinates(stations) # degrees; km in the plane around the middle
    x <- (at[, 1] - 10.5) * 111.32 * cos(51 * pi / 180)
    y <- (at[, 2] - 51) * 111.32
    pm10 <- air[, days]
    table <- data.frame(station = rep(seq_len(nrow(pm10)), ncol(pm10)), x = round(rep(x, ncol(pm10)), 3), y = round(rep(y, ncol(pm10)), 3),
                        day = rep(seq_along(days), each = nrow(pm10)), pm10 = as.vector(pm10))
    write.csv(table[!is.na(table$pm10), ], file.path(folder, "air.csv"), row.names = FALSE)
    file.copy(system.file("nc/bcsd_obs_1999.nc", package = "stars"), file.path(folder, "bcsd.nc"), overwrite = TRUE)
}

origin <- as.POSIXct("2005-01-01", tz = "UTC")
irregular <- function(table) {
    table <- table[order(table$day), ]
    STIDF(SpatialPoints(table[, 1:2]), origin + 86400 * table$day, data.frame(z = table[[ncol(table)]]))
}

# Stations by days, missing where there is no row: the variogram of such a table takes seconds, that of the rows minutes.
regular <- function(table) {
    places <- unique(table[, 1:2])
    days <- sort(unique(table$day))
    at <- match(paste(table[, 1], table[, 2]), paste(places[, 1], places[, 2])) + nrow(places) * (match(table$day, days) - 1)
    z <- rep(NA_real_, nrow(places) * length(days))
    z[at] <- table[[ncol(table)]]
    STFDF(SpatialPoints(places), origin + 86400 * days, data.frame(z = z))
}

joint <- function(train, test) {
    seen <- irregular(train)
    empirical <- variogramST(z ~ 1, data = regular(train), tunit = "days", tlags = 0:6, cutoff = 300, width = 30, progress = FALSE)
    sill <- var(train[[ncol(train)]])
    start <- vgmST("separable", space = vgm(0.9, "Exp", 100, 0.1), time = vgm(0.9, "Exp", 2, 0.1), sill = sill)
    fitted <- fit.StVariogram(empirical, start, method = "L-BFGS-B", lower = c(1, 0, 0.1, 0, 1))
    wanted <- order(test$day)
    to <- test[wanted, ]
    places <- STI(SpatialPoints(to[, 1:2]), origin + 86400 * to$day)
    kriged <- krigeST(z ~ 1, seen, places, fitted, nmax = 50, stAni = 50, computeVar = TRUE, progress = FALSE)
    out <- data.frame(mean = numeric(nrow(to)), sd = numeric(nrow(to)))
    out$mean[wanted] <- kriged$var1.pred
    out$sd[wanted] <- sqrt(pmax(0, kriged$var1.var))
    out
}

daily <- function(train, test) {
    far <- 1e6 # days apart, so that one variogram is of pairs of the same day
    spread <- data.frame(x = train$x + far * train$day, y = train$y, z = train[[ncol(train)]])
    coordinates(spread) <- c("x", "y")
    fitted <- fit.variogram(variogram(z ~ 1, spread, cutoff = 300), vgm(c("Exp", "Sph")))
    out <- data.frame(mean = rep(NA, nrow(test)), sd = NA)
    for (day in unique(test$day)) {
        own <- data.frame(train[train$day == day, 1:2], z = train[train$day == day, ncol(train)])
        coordinates(own) <- c("x", "y")
        here <- which(test$day == day)
        kriged <- krige(z ~ 1, own, SpatialPoints(test[here, 1:2]), fitted, debug.level = 0)
        out$mean[here] <- kriged$var1.pred
        out$sd[here] <- sqrt(kriged$var1.var)
    }
    out
}

if (arguments[1] == "data") {
    write_data(arguments[2])
} else {
    out <- get(arguments[1])(read.csv(arguments[2]), read.csv(arguments[3]))
    write.csv(format(out, digits = 10, trim = TRUE), arguments[4], row.names = FALSE, quote = FALSE)
}
