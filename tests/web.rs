//! What only a browser can show: storage, fetch, workers.
