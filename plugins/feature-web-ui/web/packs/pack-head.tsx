import { useSignal } from "@preact/signals";
import { escapeControlCharacters, escapeControlCharactersInLines, type PackRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { JobDialog } from "./job-dialog.tsx";
import { mayBegin, type PackJobName } from "./pack-jobs.ts";
import { isChangeable, toOrigin, toShortCommit } from "./pack-source.ts";
import { UpgradeDialog } from "./upgrade-dialog.tsx";

const offers: readonly { readonly job: PackJobName; readonly title: string; readonly class?: string }[] = [
	{ job: "upgrade", title: texts.upgradeOne },
	{ job: "rollback", title: texts.rollBackOne },
	{ job: "uninstall", title: texts.uninstallOne, class: "danger" },
];

/** Shows the name and description of a pack, and the buttons for its jobs. */
export function PackHead({ pack }: { readonly pack: PackRecord }) {
	const asked = useSignal<PackJobName | undefined>(undefined);
	const onClose = () => (asked.value = undefined);
	return (
		<>
			<div class="page-head">
				<h1>{escapeControlCharacters(pack.ref)}</h1>
				{isChangeable(pack) &&
					offers
						.filter(({ job }) => mayBegin(job))
						.map(({ job, title, class: name }) => (
							<button key={job} type="button" class={name} onClick={() => (asked.value = job)}>
								{title}
							</button>
						))}
			</div>
			{pack.description !== "" && <p>{escapeControlCharactersInLines(pack.description)}</p>}
			<PackFacts pack={pack} />
			<Followed pack={pack} />
			{asked.value === "upgrade" && <UpgradeDialog packs={[pack.ref]} onClose={onClose} />}
			{asked.value === "rollback" && (
				<JobDialog
					job="rollback"
					title={texts.rollBackTitle(pack.ref)}
					action={texts.rollBack}
					begin={({ version }) => client.packInstalls.rollback(pack.ref, version === undefined ? undefined : String(version))}
					onClose={onClose}
				/>
			)}
			{asked.value === "uninstall" && (
				<JobDialog
					job="uninstall"
					title={texts.uninstallTitle(pack.ref)}
					action={texts.uninstall}
					begin={(flags) => client.packInstalls.uninstall([pack.ref], flags)}
					onClose={onClose}
				>
					<p>{texts.uninstallWarning}</p>
				</JobDialog>
			)}
		</>
	);
}

function PackFacts({ pack }: { readonly pack: PackRecord }) {
	const { version, author, source, installation } = pack;
	const { at, by, execution_id: run } = installation ?? {};
	return (
		<dl class="facts">
			<Fact name={common.version}>{escapeControlCharacters(version)}</Fact>
			{author !== "" && <Fact name={texts.author}>{escapeControlCharacters(author)}</Fact>}
			<Fact name={common.source}>{escapeControlCharacters(toOrigin(pack))}</Fact>
			{source !== undefined && (
				<Fact name={common.commit}>
					<code title={escapeControlCharacters(String(source["commit"]))}>
						{escapeControlCharacters(toShortCommit(source["commit"])) || "–"}
					</code>
				</Fact>
			)}
			{typeof at === "string" && (
				<Fact name={texts.installed}>
					<Ago at={at} />
					{texts.installedBy(escapeControlCharacters(String(by)))}
				</Fact>
			)}
			{typeof run === "string" && session.may("execution_view") && (
				<Fact name={common.execution}>
					<a href={toExecutionHref(run, "log")}>{texts.installation}</a>
				</Fact>
			)}
		</dl>
	);
}

/** Shows the state of a pack that the service follows in git, and why the latest commit could not be used. */
function Followed({ pack: { followed } }: { readonly pack: PackRecord }) {
	if (followed === undefined) return null;
	const { source, state, reason, checked_at } = followed;
	return (
		<section class="card" aria-label={texts.followedTab}>
			<StatusBadge status={String(state)} /> {texts.follows(escapeControlCharacters(String(source)))} <Ago at={String(checked_at)} />
			{texts.changedThere}
			{typeof reason === "string" && <p class="bad-text pack-reason">{escapeControlCharactersInLines(reason)}</p>}
		</section>
	);
}
