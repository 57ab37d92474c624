/** Where a run is shown. A view of it may be chosen, and its query. */
export function toRunHref(id: string, view = "general"): string {
	return `#/history/${encodeURIComponent(id)}/${view}`;
}
