//! view.
