import { useSignal } from "@preact/signals";
import type { JsonObject } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines, type PackIndexStatusRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { mayBegin } from "./pack-jobs.ts";

const pageSize = 50;

/** Lists the packs that can be installed by name, from the configured indexes. */
export function PackSearch() {
	const word = addressBar.query("q");
	const found = useResource(() => readIndex(word), [word]);
	const asked = useSignal<string | undefined>(undefined);
	const { limit, offset } = toPaging(pageSize);
	return (
		<>
			<FilterBar filters={[{ name: "q", label: "Search", kind: "text", hint: "name or word" }]} />
			<Loaded resource={found}>
				{({ packs, status }) => (
					<>
						<Problems status={status} />
						{packs.length === 0 && <Empty title={status.length === 0 ? "No index is configured" : "No pack is like this"} />}
						{packs.length > 0 && (
							<>
								<DataTable
									label="Packs of the index"
									columns={toColumns((name) => (asked.value = name))}
									rows={packs.slice(offset, offset + limit)}
									toKey={toName}
								/>
								<Pager size={pageSize} shown={packs.slice(offset, offset + limit).length} total={packs.length} />
							</>
						)}
					</>
				)}
			</Loaded>
			{asked.value !== undefined && <InstallDialog source={asked.value} onClose={() => (asked.value = undefined)} />}
		</>
	);
}

async function readIndex(
	word: string,
): Promise<{ readonly packs: readonly JsonObject[]; readonly status: readonly PackIndexStatusRecord[] }> {
	const { index, status } = await client.packIndex.get();
	return { status, packs: word === "" ? Object.values(index) : await client.packIndex.search(word) };
}

function Problems({ status }: { readonly status: readonly PackIndexStatusRecord[] }) {
	return (
		<>
			{status
				.filter(({ error }) => error !== null)
				.map(({ url, message }) => (
					<p key={url} class="bad-text">
						{escapeControlCharacters(url)}: {escapeControlCharactersInLines(message)}
					</p>
				))}
		</>
	);
}

function toColumns(ask: (name: string) => void): readonly Column<JsonObject>[] {
	const toText = (pack: JsonObject, member: string) => escapeControlCharacters(typeof pack[member] === "string" ? pack[member] : "");
	return [
		{ title: "Pack", cell: (pack) => escapeControlCharacters(toName(pack)) },
		{ title: "What it is", class: "wide", cell: (pack) => toText(pack, "description") },
		{ title: "Version", cell: (pack) => toText(pack, "version") },
		{ title: "Author", cell: (pack) => toText(pack, "author") },
		{
			title: "Install",
			cell: (pack) =>
				mayBegin("install") && (
					<button type="button" aria-label={`Install ${toName(pack)}`} onClick={() => ask(toName(pack))}>
						Install …
					</button>
				),
		},
	];
}

function toName({ ref, name }: JsonObject): string {
	return String(ref ?? name);
}
