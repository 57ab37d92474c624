import { useSignal } from "@preact/signals";
import { escapeControlCharacters, escapeControlCharactersInLines, type PackRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { mayBegin, type PackJobName } from "./pack-jobs.ts";
import { isChangeable, toOrigin, toShortCommit } from "./pack-source.ts";
import { UpgradeDialog } from "./upgrade-dialog.tsx";

const offers: readonly { readonly job: PackJobName; readonly title: string; readonly class?: string }[] = [
	{ job: "upgrade", title: "Upgrade …" },
	{ job: "rollback", title: "Roll back …" },
	{ job: "uninstall", title: "Uninstall …", class: "danger" },
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
					title={`Roll back ${pack.ref}?`}
					action="Roll back"
					begin={({ version }) => client.packInstalls.rollback(pack.ref, version === undefined ? undefined : String(version))}
					onClose={onClose}
				/>
			)}
			{asked.value === "uninstall" && (
				<JobDialog
					job="uninstall"
					title={`Uninstall ${pack.ref}?`}
					action="Uninstall"
					begin={(flags) => client.packInstalls.uninstall([pack.ref], flags)}
					onClose={onClose}
				>
					<p>Its actions, rules, sensors, aliases and policies go with it.</p>
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
			<Fact name="Version">{escapeControlCharacters(version)}</Fact>
			{author !== "" && <Fact name="Author">{escapeControlCharacters(author)}</Fact>}
			<Fact name="From">{escapeControlCharacters(toOrigin(pack))}</Fact>
			{source !== undefined && (
				<Fact name="Commit">
					<code title={escapeControlCharacters(String(source["commit"]))}>
						{escapeControlCharacters(toShortCommit(source["commit"])) || "–"}
					</code>
				</Fact>
			)}
			{typeof at === "string" && (
				<Fact name="Installed">
					<Ago at={at} /> by {escapeControlCharacters(String(by))}
				</Fact>
			)}
			{typeof run === "string" && session.may("execution_view") && (
				<Fact name="Run">
					<a href={toExecutionHref(run, "log")}>Its installation</a>
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
		<section class="card" aria-label="Followed in git">
			<StatusBadge status={String(state)} /> It follows {escapeControlCharacters(String(source))}, looked at <Ago at={String(checked_at)} />
			: it is changed there only.
			{typeof reason === "string" && <p class="bad-text pack-reason">{escapeControlCharactersInLines(reason)}</p>}
		</section>
	);
}
