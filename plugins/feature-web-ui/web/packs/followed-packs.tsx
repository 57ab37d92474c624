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
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { beginJob, followedInterval, isPackJob, mayBegin } from "./pack-jobs.ts";
import { toPackHref, toShortCommit } from "./pack-source.ts";

const columns: readonly Column<FollowedPackRecord>[] = [
	{ title: common.state, cell: ({ state }) => <StatusBadge status={state} /> },
	{ title: common.pack, cell: ({ pack }) => (pack === null ? "–" : <a href={toPackHref(pack)}>{escapeControlCharacters(pack)}</a>) },
	{ title: texts.repository, class: "pack-origin", cell: ({ source }) => escapeControlCharacters(source) },
	{ title: common.commit, cell: ({ commit }) => <code>{escapeControlCharacters(toShortCommit(commit))}</code> },
	{
		title: texts.problem,
		class: "wide",
		cell: ({ reason }) => reason !== null && <span class="bad-text">{escapeControlCharactersInLines(reason)}</span>,
	},
	{ title: texts.checked, cell: ({ checked_at }) => <Ago at={checked_at} /> },
	{
		title: common.execution,
		cell: ({ execution_id: id }) =>
			id !== null && session.may("execution_view") && <a href={toExecutionHref(id, "log")}>{texts.lastCheck}</a>,
	},
	{
		title: texts.check,
		cell: ({ source }) =>
			mayBegin("look") && (
				<button type="button" aria-label={texts.checkNowNamed(source)} onClick={() => void look(source)}>
					{texts.checkNow}
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
					<Empty title={texts.noneFollowed} step={texts.noneFollowedStep} />
				) : (
					<DataTable label={texts.followedPacks} columns={columns} rows={packs} toKey={({ id }) => id} />
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
