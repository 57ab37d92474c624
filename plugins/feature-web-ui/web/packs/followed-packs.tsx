import { escapeControlCharacters, escapeControlCharactersInLines, type FollowedPackRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { attempt } from "../kit/notices.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { beginJob, followedInterval, isPackJob, mayBegin } from "./pack-jobs.ts";
import { toPackHref, toShortCommit } from "./pack-source.ts";

const columns: readonly Column<FollowedPackRecord>[] = [
	{ title: "State", cell: ({ state }) => <StatusBadge status={state} /> },
	{ title: "Pack", cell: ({ pack }) => (pack === null ? "–" : <a href={toPackHref(pack)}>{escapeControlCharacters(pack)}</a>) },
	{ title: "Repository", class: "pack-origin", cell: ({ source }) => escapeControlCharacters(source) },
	{ title: "Commit", cell: ({ commit }) => <code>{escapeControlCharacters(toShortCommit(commit))}</code> },
	{
		title: "Why not",
		class: "wide",
		cell: ({ reason }) => reason !== null && <span class="bad-text">{escapeControlCharactersInLines(reason)}</span>,
	},
	{ title: "Looked at", cell: ({ checked_at }) => <Ago at={checked_at} /> },
	{
		title: "Run",
		cell: ({ execution_id: id }) => id !== null && session.may("execution_view") && <a href={toExecutionHref(id, "log")}>Last try</a>,
	},
	{
		title: "Look",
		cell: ({ source }) =>
			mayBegin("look") && (
				<button type="button" aria-label={`Look now at ${source}`} onClick={() => void look(source)}>
					Look now
				</button>
			),
	},
];

/** Lists the packs that the service follows in git repositories, as configured, with the state of each. */
export function FollowedPacks() {
	const followed = useRepeated(
		useResource(() => client.packInstalls.followed(), [], { isTouched: isPackJob }),
		followedInterval,
	);
	return (
		<Loaded resource={followed}>
			{(packs) =>
				packs.length === 0 ? (
					<Empty title="No pack is followed in git">
						<p>
							The configuration says which: <code>packs</code> takes repositories beside directories.
						</p>
					</Empty>
				) : (
					<DataTable label="Followed packs" columns={columns} rows={packs} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

async function look(source: string): Promise<void> {
	await attempt(
		() =>
			beginJob("look", async () => {
				const { id } = await client.executions.create({ action: "packs.look", parameters: { source } });
				return { execution_id: id };
			}),
		"",
	);
}
