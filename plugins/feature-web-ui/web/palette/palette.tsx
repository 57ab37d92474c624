import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { escapeControlCharacters } from "../../../_shipped/client.ts";
import type { PageDefinition } from "../kit/page.ts";
import { Dialog } from "../parts/confirm.tsx";
import * as texts from "../texts/palette.ts";
import { findEntries, type PaletteEntry, readRecordEntries, toPageEntries } from "./palette-entries.ts";

export interface PaletteProps {
	readonly pages: readonly PageDefinition[];
	readonly onClose: () => void;
}

/** Shows the palette, which opens any page or record by its name. */
export function Palette({ pages, onClose }: PaletteProps) {
	const text = useSignal("");
	const chosen = useSignal(0);
	const records = useSignal<readonly PaletteEntry[]>([]);
	useEffect(() => {
		const reading = new AbortController();
		void readRecordEntries(pages, reading.signal).then((read) => {
			if (!reading.signal.aborted) records.value = read;
		});
		return () => reading.abort();
	}, [pages, records]);
	const entries = findEntries([...toPageEntries(pages), ...records.value], text.value);
	const current = Math.min(chosen.value, entries.length - 1);
	const go = (entry: PaletteEntry | undefined) => {
		if (entry === undefined) return;
		onClose();
		location.hash = entry.href;
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined) chosen.value = (current + step + entries.length) % Math.max(1, entries.length);
		else if (event.key === "Enter") go(entries[current]);
		else return;
		event.preventDefault();
	};
	return (
		<Dialog title={texts.goTo} onClose={onClose}>
			<input
				class="palette-field"
				role="combobox"
				aria-label={texts.field}
				aria-expanded="true"
				aria-controls="palette-list"
				aria-activedescendant={entries.length > 0 ? `palette-${current}` : undefined}
				placeholder={texts.hint}
				autocomplete="off"
				spellcheck={false}
				value={text.value}
				onKeyDown={onKeyDown}
				onInput={(event) => {
					text.value = event.currentTarget.value;
					chosen.value = 0;
				}}
			/>
			<Entries entries={entries} current={current} onGo={go} />
		</Dialog>
	);
}

interface EntriesProps {
	readonly entries: readonly PaletteEntry[];
	readonly current: number;
	readonly onGo: (entry: PaletteEntry) => void;
}

function Entries({ entries, current, onGo }: EntriesProps) {
	useEffect(() => document.getElementById(`palette-${current}`)?.scrollIntoView({ block: "nearest" }), [current]);
	if (entries.length === 0)
		return (
			<p class="faint palette-none" role="status">
				{texts.noneFound}
			</p>
		);
	return (
		// The keyboard focus stays in the input, as in every combobox.
		<div class="palette-list" id="palette-list" role="listbox" aria-label={texts.results}>
			{entries.map((entry, index) => (
				<a
					key={`${entry.kind} ${entry.title}`}
					id={`palette-${index}`}
					role="option"
					tabIndex={-1}
					aria-selected={index === current}
					href={entry.href}
					onClick={(event) => {
						event.preventDefault();
						onGo(entry);
					}}
				>
					<span class="palette-title">{escapeControlCharacters(entry.title)}</span>
					<span class="faint">{entry.kind}</span>
				</a>
			))}
		</div>
	);
}
