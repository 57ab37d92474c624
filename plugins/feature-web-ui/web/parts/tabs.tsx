/** One of several views of a record. */
export interface Tab {
	readonly name: string;
	readonly title: string;
	readonly href: string;
	/** Number of items in the view. */
	readonly count?: number | undefined;
}

/** Shows links to the views of a record and marks the current one. */
export function Tabs({ tabs, current, label }: { readonly tabs: readonly Tab[]; readonly current: string; readonly label: string }) {
	return (
		<nav class="tabs" aria-label={label}>
			{tabs.map(({ name, title, href, count }) => (
				<a key={name} href={href} aria-current={name === current ? "page" : undefined}>
					{title}
					{count !== undefined && <span class="count">{count}</span>}
				</a>
			))}
		</nav>
	);
}
