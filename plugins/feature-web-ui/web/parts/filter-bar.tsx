import { useRef } from "preact/hooks";
import { addressBar } from "../kit/router.ts";
import * as texts from "../texts/frame.ts";

export interface Filter {
	/** Name of the query parameter in the address. */
	readonly name: string;
	readonly label: string;
	/** `choice` accepts one of `values`; `text` may suggest them. */
	readonly kind: "text" | "choice" | "time";
	readonly values?: readonly string[];
	readonly hint?: string;
	/** Label of the option that disables the filter. Default: `any`. */
	readonly none?: string;
}

/**
 * Shows filters whose values are part of the address. A change takes effect when the user presses Enter or leaves the input, and shows the
 * first page of the list.
 */
export function FilterBar({ filters }: { readonly filters: readonly Filter[] }) {
	const isAny = filters.some(({ name }) => addressBar.query(name) !== "");
	const clear = () => addressBar.change(Object.fromEntries([...filters.map(({ name }) => [name, undefined]), ["page", undefined]]));
	return (
		<search class="filters" aria-label={texts.filters}>
			{filters.map((filter) => (
				<FilterField key={filter.name} filter={filter} />
			))}
			{isAny && (
				<button type="button" class="quiet" onClick={clear}>
					{texts.clear}
				</button>
			)}
		</search>
	);
}

function FilterField({ filter }: { readonly filter: Filter }) {
	const { name, label, kind, values = [], hint, none = texts.any } = filter;
	const value = addressBar.query(name);
	const proposals = useRef(`proposals-${name}`);
	const change = (next: string) => next !== value && addressBar.change({ [name]: next.trim(), page: undefined });
	if (kind === "choice") {
		return (
			<label>
				<span>{label}</span>
				<select value={value} onChange={(event) => change(event.currentTarget.value)}>
					<option value="">{none}</option>
					{values.map((each) => (
						<option key={each} value={each}>
							{each}
						</option>
					))}
				</select>
			</label>
		);
	}
	return (
		<label>
			<span>{label}</span>
			<input
				key={value}
				type={kind === "time" ? "datetime-local" : "search"}
				step={kind === "time" ? 1 : undefined}
				defaultValue={value}
				placeholder={hint}
				list={values.length > 0 ? proposals.current : undefined}
				autocomplete="off"
				spellcheck={false}
				onChange={(event) => change(event.currentTarget.value)}
			/>
			{values.length > 0 && (
				<datalist id={proposals.current}>
					{values.slice(0, 200).map((each) => (
						<option key={each} value={each} />
					))}
				</datalist>
			)}
		</label>
	);
}
