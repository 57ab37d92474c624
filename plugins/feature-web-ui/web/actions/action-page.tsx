import type { JsonObject } from "../../../../core/contract/index.ts";
import { type ActionRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { ExecutionTable, executionAttributes } from "../executions/execution-table.tsx";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { CodeBox } from "../parts/code-box.tsx";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import { Tabs } from "../parts/tabs.tsx";
import * as texts from "../texts/actions.ts";
import * as common from "../texts/common.ts";
import { RunForm } from "./run-form.tsx";

const views = [
	{ name: "run", title: common.run },
	{ name: "code", title: texts.codeTab },
	{ name: "metadata", title: texts.metadataTab },
];

/** Shows one action: a form to run it, its latest runs and its definition. */
export function Page({ values: { ref = "" } }: PageProps) {
	const action = useResource((signal) => client.actions.get(ref, { signal }), [ref]);
	const path = toPath("/actions/:ref", { ref });
	const view = views.find(({ name }) => name === addressBar.query("view"))?.name ?? "run";
	const tabs = views.map((tab) => ({ ...tab, href: toHref(path, { view: tab.name === "run" ? undefined : tab.name }) }));
	return (
		<Loaded resource={action} title={ref}>
			{(found) => (
				<>
					<Head action={found} />
					<Tabs label={texts.tabs} tabs={tabs} current={view} />
					{view === "run" && <Run key={found.id} action={found} />}
					{view === "code" && <Code action={found} />}
					{view === "metadata" && (
						<section class="card">
							<JsonTree value={found as unknown as JsonObject} open={3} />
						</section>
					)}
				</>
			)}
		</Loaded>
	);
}

function Head({ action }: { readonly action: ActionRecord }) {
	const { pack, runner_type, entry_point } = action;
	return (
		<RecordHead record={action}>
			<Fact name={common.pack}>
				<a href={toHref("/actions", { pack })}>{escapeControlCharacters(pack)}</a>
			</Fact>
			<Fact name={common.runner}>{escapeControlCharacters(runner_type)}</Fact>
			{entry_point !== "" && (
				<Fact name={texts.entryPoint}>
					<span class="mono">{escapeControlCharacters(entry_point)}</span>
				</Fact>
			)}
		</RecordHead>
	);
}

function Run({ action }: { readonly action: ActionRecord }) {
	return (
		<div class="run-columns">
			<section class="card" aria-label={texts.runForm}>
				<RunForm action={action} />
			</section>
			<ActionExecutions action={action.ref} />
		</div>
	);
}

function Code({ action: { ref, entry_point } }: { readonly action: ActionRecord }) {
	const code = useResource(async (signal) => (entry_point === "" ? "" : client.actions.entryPoint(ref, { signal })), [ref, entry_point]);
	return (
		<Loaded resource={code}>
			{(text) => (text === "" ? <p class="faint">{texts.noCode}</p> : <CodeBox label={texts.codeTab} text={text} />)}
		</Loaded>
	);
}

const maxListed = 10;

/** Lists the latest runs of an action. Shows nothing to users who may not list executions. */
export function ActionExecutions({ action }: { readonly action: string }) {
	return session.may("execution_list") ? <Runs action={action} /> : null;
}

function Runs({ action }: { readonly action: string }) {
	const query = { action, sort_desc: "timestamp", limit: session.toLimit(maxListed), include_attributes: executionAttributes };
	const runs = useResource((signal) => client.executions.list(query, { signal }), [action], {
		isTouched: ({ name }) => name.startsWith("svc.execution__"),
	});
	return (
		<section aria-label={texts.latest}>
			<Loaded resource={runs}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title={texts.noneRun} step={texts.noneRunStep} />
					) : (
						<>
							<ExecutionTable runs={items} label={texts.latest} />
							<p>
								<a href={toHref("/history", { action })}>{texts.allExecutions}</a>
							</p>
						</>
					)
				}
			</Loaded>
		</section>
	);
}
