import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<T> {
	readonly title: string;
	/** For the style of its cells. */
	readonly class?: string;
	cell(row: T): ComponentChildren;
}

interface DataTableProps<T> {
	/** What it holds, for a screen reader. */
	readonly label: string;
	readonly columns: readonly Column<T>[];
	readonly rows: readonly T[];
	/** What tells a row from others. */
	toKey(row: T): string;
	/** The rows that are chosen, where rows can be. */
	readonly chosen?: ReadonlySet<string>;
	readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}

/** Records as a table, a line to each. A link of the class `row-link` in a cell makes the whole line lead there. */
export function DataTable<T>({ label, columns, rows, toKey, chosen, onChoose }: DataTableProps<T>) {
	const keys = rows.map(toKey);
	const isAll = chosen !== undefined && rows.length > 0 && keys.every((key) => chosen.has(key));
	const choose = (changed: readonly string[], isChosen: boolean) => {
		const next = new Set(chosen);
		for (const key of changed) isChosen ? next.add(key) : next.delete(key);
		onChoose?.(next);
	};
	return (
		<div class="table-box">
			<table aria-label={label}>
				<thead>
					<tr>
						{chosen !== undefined && (
							<th class="choice">
								<input type="checkbox" aria-label="Choose all" checked={isAll} onChange={() => choose(keys, !isAll)} />
							</th>
						)}
						{columns.map(({ title, class: name }) => (
							<th key={title} class={name} scope="col">
								{title}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => {
						const key = toKey(row);
						return (
							<tr key={key} class={chosen?.has(key) ? "chosen" : undefined}>
								{chosen !== undefined && (
									<td class="choice">
										<input
											type="checkbox"
											aria-label={`Choose ${key}`}
											checked={chosen.has(key)}
											onChange={() => choose([key], !chosen.has(key))}
										/>
									</td>
								)}
								{columns.map(({ title, class: name, cell }) => (
									<td key={title} class={name}>
										{cell(row)}
									</td>
								))}
							</tr>
						);
					})}
				</tbody>
			</table>
		</div>
	);
}
