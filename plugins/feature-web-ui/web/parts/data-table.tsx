import type { ComponentChildren } from "preact";
import * as texts from "../texts/frame.ts";

export interface Column<T> {
	readonly title: string;
	/** CSS class of the cells. */
	readonly class?: string;
	cell(row: T): ComponentChildren;
}

interface DataTableProps<T> {
	/** Description of the content for screen readers. */
	readonly label: string;
	readonly columns: readonly Column<T>[];
	readonly rows: readonly T[];
	/** Returns a unique key of a row. */
	toKey(row: T): string;
	/** True if the box of the table can have the focus, so that keys scroll it. Needed if no row contains a link. Default: false. */
	readonly isFocusable?: boolean;
	/** Keys of the selected rows. Undefined if rows cannot be selected. */
	readonly chosen?: ReadonlySet<string>;
	readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}

/** Shows records as a table with one row each. A link of the class `row-link` in a cell makes the whole row clickable. */
export function DataTable<T>({ label, columns, rows, toKey, isFocusable = false, chosen, onChoose }: DataTableProps<T>) {
	const keys = rows.map(toKey);
	const isAll = chosen !== undefined && rows.length > 0 && keys.every((key) => chosen.has(key));
	const choose = (changed: readonly string[], isChosen: boolean) => {
		const next = new Set(chosen);
		for (const key of changed) isChosen ? next.add(key) : next.delete(key);
		onChoose?.(next);
	};
	return (
		<div class="table-box" {...(isFocusable && { tabIndex: 0, role: "region", "aria-label": label })}>
			<table aria-label={label}>
				<thead>
					<tr>
						{chosen !== undefined && (
							<th class="choice">
								<input type="checkbox" aria-label={texts.chooseAll} checked={isAll} onChange={() => choose(keys, !isAll)} />
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
											aria-label={texts.choose(key)}
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
