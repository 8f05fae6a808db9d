//! Functions whose last digit differs between machines in the standard library, and here does not.

/// e to the power of `x`. The same digits natively and in the browser.
pub(super) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// ln(1 + x). The same digits natively and in the browser.
pub(super) fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Natural logarithm. The same digits natively and in the browser.
pub(super) fn ln(x: f64) -> f64 {
    libm::log(x)
}
