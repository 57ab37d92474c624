import { escapeControlCharacters, type PackRecord } from "../../../_shipped/client.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { followedInterval, isPackJob } from "./pack-jobs.ts";
import { toOrigin, toPackHref, toShortCommit } from "./pack-source.ts";

const pageSize = 50;
const shown = "id,ref,description,version,path,source,content,followed";

const columns: readonly Column<PackRecord>[] = [
	{
		title: common.pack,
		cell: ({ ref }) => (
			<a class="row-link" href={toPackHref(ref)}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: common.description, class: "wide", cell: ({ description }) => escapeControlCharacters(description) },
	{ title: common.version, cell: ({ version }) => escapeControlCharacters(version) },
	{ title: common.source, class: "pack-origin", cell: (pack) => escapeControlCharacters(toOrigin(pack)) },
	{ title: common.commit, cell: ({ source }) => <code>{escapeControlCharacters(toShortCommit(source?.["commit"]))}</code> },
	{ title: texts.gitSync, class: "pack-origin", cell: ({ followed }) => followed !== undefined && <Followed followed={followed} /> },
];

export function PackList() {
	// Only a service that installs packs fills this column.
	const shownColumns = session.has("packInstaller") ? columns : columns.filter(({ title }) => title !== texts.gitSync);
	const query = { include_attributes: shown, ...toPaging(pageSize) };
	const packs = useRepeated(
		useResource(() => client.packs.list(query), [query.offset], { isTouched: isPackJob }),
		followedInterval,
	);
	return (
		<Loaded resource={packs}>
			{({ items, total, hasMore }) =>
				items.length === 0 ? (
					<Empty title={texts.nonePacks} step={texts.nonePacksStep} />
				) : (
					<>
						<DataTable label={common.packs} columns={shownColumns} rows={items} toKey={({ id }) => id} />
						<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
					</>
				)
			}
		</Loaded>
	);
}

/** Shows the state of a pack that the service follows in git, and why the latest commit could not be used. */
function Followed({ followed: { state, reason } }: { readonly followed: NonNullable<PackRecord["followed"]> }) {
	return (
		<>
			<StatusBadge status={String(state)} />
			{typeof reason === "string" && <span class="bad-text"> {escapeControlCharacters(reason)}</span>}
		</>
	);
}
