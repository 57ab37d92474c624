/** Returns the address of a run. `view` is the name of a view, optionally followed by its query. */
export function toExecutionHref(id: string, view = "general"): string {
	return `#/history/${encodeURIComponent(id)}/${view}`;
}
