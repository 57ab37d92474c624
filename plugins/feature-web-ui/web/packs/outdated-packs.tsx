import { useSignal } from "@preact/signals";
import { escapeControlCharacters, escapeControlCharactersInLines, type PackNewerRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { mayBegin } from "./pack-jobs.ts";
import { toPackHref, toShortCommit } from "./pack-source.ts";
import { UpgradeDialog } from "./upgrade-dialog.tsx";

/** Lists newer versions of the installed packs. The service queries the sources of the packs on each request. */
export function OutdatedPacks() {
	const newer = useResource(() => client.packInstalls.outdated(), []);
	/** Ref of the pack in the upgrade dialog: empty for all packs, undefined while the dialog is closed. */
	const asked = useSignal<string | undefined>(undefined);
	return (
		<Loaded resource={newer}>
			{(packs) => (
				<>
					{packs.length === 0 && <Empty title={texts.noneInstalled} step={texts.noneInstalledStep} />}
					{packs.length > 0 && (
						<DataTable
							label={texts.installedPacks}
							columns={toColumns((ref) => (asked.value = ref))}
							rows={packs}
							toKey={({ ref }) => ref}
						/>
					)}
					{packs.some(({ outdated }) => outdated) && mayBegin("upgrade") && (
						<p class="below">
							<button type="button" onClick={() => (asked.value = "")}>
								{texts.upgradeAll}
							</button>
						</p>
					)}
					{asked.value !== undefined && (
						<UpgradeDialog packs={asked.value === "" ? [] : [asked.value]} onClose={() => (asked.value = undefined)} />
					)}
				</>
			)}
		</Loaded>
	);
}

function toColumns(ask: (ref: string) => void): readonly Column<PackNewerRecord>[] {
	return [
		{ title: common.pack, cell: ({ ref }) => <a href={toPackHref(ref)}>{escapeControlCharacters(ref)}</a> },
		{ title: texts.installed, cell: ({ version, commit }) => escapeControlCharacters(`${version} ${toShortCommit(commit)}`) },
		{
			title: texts.available,
			class: "wide",
			cell: ({ latest, problem, outdated }) => {
				if (problem !== null) return <span class="bad-text">{escapeControlCharactersInLines(problem)}</span>;
				if (!outdated) return <span class="faint">{texts.upToDate}</span>;
				return escapeControlCharacters(`${latest?.version ?? latest?.revision ?? ""} ${toShortCommit(latest?.commit)}`);
			},
		},
		{ title: common.source, class: "pack-origin", cell: ({ address }) => escapeControlCharacters(address) },
		{
			title: texts.upgrade,
			cell: ({ ref, outdated }) =>
				outdated &&
				mayBegin("upgrade") && (
					<button type="button" aria-label={texts.upgradeNamed(ref)} onClick={() => ask(ref)}>
						{texts.upgradeOne}
					</button>
				),
		},
	];
}
