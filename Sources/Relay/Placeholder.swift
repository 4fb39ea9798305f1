package enum RelayPlaceholder {}
