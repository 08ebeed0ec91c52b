// A picture as the catalogue describes it: percent-encoded urls, files by width, and its size, so that nothing moves.

export function Picture({ view, sizes, eager = false, ...rest }) {
  return (
    <img
      src={view.url}
      srcSet={view.srcset || undefined}
      sizes={sizes}
      alt={view.alt}
      width={view.width}
      height={view.height}
      loading={eager ? "eager" : "lazy"}
      fetchPriority={eager ? "high" : undefined}
      decoding="async"
      {...rest}
    />
  );
}
