/** One of several views of a record. */
export interface Tab {
	readonly name: string;
	readonly title: string;
	readonly href: string;
	/** How many there are in it. */
	readonly count?: number | undefined;
}

/** Links between the views of a record; the one that is shown is marked. */
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
