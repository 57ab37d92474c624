import {
	escapeControlCharacters,
	escapeControlCharactersInLines,
	type RuleEnforcementRecord,
	type RuleRecord,
} from "../../../_shipped/client.ts";
import { toTriggerTypeHref } from "../events/trigger-type-list.tsx";
import { toExecutionHref } from "../executions/execution-address.ts";
import { attempt } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { Fault } from "../parts/fault.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/rules.ts";
import { Criteria } from "./criteria.tsx";
import { RuleTest } from "./rule-test.tsx";

const views = [
	{ name: "definition", title: texts.definitionTab, permission: "rule_view" },
	{ name: "test", title: texts.testTab, permission: "rule_view" },
	{ name: "history", title: texts.historyTab, permission: "rule_enforcement_list" },
];

/** Shows one rule: its definition, a form to test it, and its history. */
export function Page({ values: { ref = "" } }: PageProps) {
	const resource = useResource(() => client.rules.get(ref), [ref]);
	const path = toPath("/rules/:ref", { ref });
	const offered = views.filter(({ permission }) => session.may(permission));
	const view = offered.find(({ name }) => name === addressBar.query("view"))?.name ?? "definition";
	const tabs = offered.map(({ name, title }) => ({ name, title, href: toHref(path, { view: name === "definition" ? undefined : name }) }));
	return (
		<Loaded resource={resource} title={ref}>
			{(rule) => (
				<>
					<Head rule={rule} resource={resource} />
					<Tabs label={texts.tabs} tabs={tabs} current={view} />
					{view === "definition" && <Definition rule={rule} />}
					{view === "test" && <RuleTest key={rule.id} rule={rule} />}
					{view === "history" && <RuleHistory rule={rule.ref} />}
				</>
			)}
		</Loaded>
	);
}

interface HeadProps {
	readonly rule: RuleRecord;
	readonly resource: Resource<RuleRecord>;
}

function Head({ rule, resource }: HeadProps) {
	const { ref, enabled, trigger, action, pack } = rule;
	const change = async () => resource.set(await client.rules.update(ref, { ...rule, enabled: !enabled }));
	return (
		<RecordHead
			record={rule}
			actions={
				session.may("rule_modify", rule.uid) && (
					<button
						type="button"
						class={enabled ? undefined : "primary"}
						onClick={() => void attempt(change, enabled ? texts.disabled : texts.enabled)}
					>
						{enabled ? common.disable : common.enable}
					</button>
				)
			}
		>
			<Fact name={common.trigger}>
				<a href={toTriggerTypeHref(trigger.type)}>{escapeControlCharacters(trigger.title ?? trigger.type)}</a>
			</Fact>
			<Fact name={common.action}>
				<a href={toHref(toPath("/actions/:ref", { ref: action.ref }))}>{escapeControlCharacters(action.ref)}</a>
			</Fact>
			<Fact name={common.pack}>
				<a href={toHref("/rules", { pack })}>{escapeControlCharacters(pack)}</a>
			</Fact>
		</RecordHead>
	);
}

function Definition({ rule: { trigger, criteria, action, problems } }: { readonly rule: RuleRecord }) {
	return (
		<>
			{problems?.map((problem) => (
				<Fault key={problem} error={new Error(escapeControlCharacters(problem))} />
			))}
			<section class="card">
				<h2>{texts.whenTrigger(escapeControlCharacters(trigger.type))}</h2>
				{Object.keys(trigger.parameters).length === 0 ? <p class="faint">{texts.noParameters}</p> : <JsonTree value={trigger.parameters} />}
			</section>
			<section class="card">
				<h2>{texts.criteria}</h2>
				<Criteria criteria={criteria} />
			</section>
			<section class="card">
				<h2>{texts.thenAction(escapeControlCharacters(action.ref))}</h2>
				{Object.keys(action.parameters).length === 0 ? (
					<p class="faint">{texts.noParameters}</p>
				) : (
					<JsonTree value={action.parameters} open={3} />
				)}
			</section>
		</>
	);
}

const pageSize = 50;

/** Lists the enforcements of a rule, the newest first. */
export function RuleHistory({ rule }: { readonly rule: string }) {
	const query = { rule_ref: rule, status: addressBar.query("status") || undefined, ...toPaging(pageSize) };
	const enforcements = useResource(() => client.rules.enforcements(query), [JSON.stringify(query)], {
		isTouched: ({ name }) => name === "svc.execution__create",
	});
	return (
		<>
			<FilterBar filters={[{ name: "status", label: common.status, kind: "choice", values: ["succeeded", "failed"] }]} />
			<Loaded resource={enforcements}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={texts.noEnforcements} step={texts.noEnforcementsStep} />
					) : (
						<>
							<DataTable label={texts.enforcements} columns={toColumns(rule)} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

function toColumns(ref: string): readonly Column<RuleEnforcementRecord>[] {
	return [
		{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
		{ title: common.time, cell: ({ enforced_at }) => <Ago at={enforced_at} /> },
		{
			title: common.result,
			class: "wide",
			cell: ({ execution_id, failure_reason }) =>
				execution_id === undefined ? (
					escapeControlCharactersInLines(failure_reason ?? common.none)
				) : (
					<a href={toExecutionHref(execution_id)}>{texts.executionNamed(execution_id)}</a>
				),
		},
		{
			title: common.event,
			cell: ({ trigger_instance_id: event }) => (
				<a href={toHref(toPath("/rules/:ref", { ref }), { view: "test", event })}>{texts.testWithEvent}</a>
			),
		},
	];
}
