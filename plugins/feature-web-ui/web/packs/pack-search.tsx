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
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
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
			<FilterBar filters={[{ name: "q", label: common.search, kind: "text", hint: texts.searchHint }]} />
			<Loaded resource={found}>
				{({ packs, status }) => (
					<>
						<Problems status={status} />
						{packs.length === 0 && status.length === 0 && <Empty title={texts.noIndex} step={texts.noIndexStep} />}
						{packs.length === 0 && status.length > 0 && <Empty title={texts.noneFound} step={texts.noneFoundStep} />}
						{packs.length > 0 && (
							<>
								<DataTable
									label={texts.packsOfIndex}
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
						{texts.indexProblem(escapeControlCharacters(url), escapeControlCharactersInLines(message))}
					</p>
				))}
		</>
	);
}

function toColumns(ask: (name: string) => void): readonly Column<JsonObject>[] {
	const toText = (pack: JsonObject, member: string) => escapeControlCharacters(typeof pack[member] === "string" ? pack[member] : "");
	return [
		{ title: common.pack, cell: (pack) => escapeControlCharacters(toName(pack)) },
		{ title: common.description, class: "wide", cell: (pack) => toText(pack, "description") },
		{ title: common.version, cell: (pack) => toText(pack, "version") },
		{ title: texts.author, cell: (pack) => toText(pack, "author") },
		{
			title: texts.install,
			cell: (pack) =>
				mayBegin("install") && (
					<button type="button" aria-label={texts.installNamed(toName(pack))} onClick={() => ask(toName(pack))}>
						{texts.installOne}
					</button>
				),
		},
	];
}

function toName({ ref, name }: JsonObject): string {
	return String(ref ?? name);
}
