import { useSignal } from "@preact/signals";
import { stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, type PolicyRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/policies.ts";
import { NewPolicy } from "./new-policy.tsx";

const pageSize = 50;
const names = ["pack", "resource_ref", "policy_type"] as const;

const columns: readonly Column<PolicyRecord>[] = [
	{ title: common.state, cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
	{
		title: common.policy,
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/policies/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: common.action, cell: ({ resource_ref }) => escapeControlCharacters(resource_ref) },
	{ title: common.type, cell: ({ policy_type }) => escapeControlCharacters(policy_type) },
	{ title: common.parameters, class: "wide mono", cell: ({ parameters }) => escapeControlCharacters(stringifyJson(parameters)) },
];

/** Lists the policies, which limit concurrent executions or retry failed ones. */
export function Page() {
	const given = Object.fromEntries(names.map((name) => [name, addressBar.query(name) || undefined]));
	const query = { ...given, ...toPaging(pageSize) };
	const policies = useResource(() => client.policies.list(query), [stringifyJson(query)]);
	const isFiltered = names.some((name) => given[name] !== undefined);
	const isMaking = useSignal(false);
	return (
		<>
			<div class="page-head">
				<h1>{common.policies}</h1>
				{session.may("policy_create") && session.may("policy_type_list") && (
					<button type="button" class="primary" onClick={() => (isMaking.value = true)}>
						{common.createOne}
					</button>
				)}
			</div>
			<PolicyFilters />
			<Loaded resource={policies}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={isFiltered ? texts.noneFound : texts.none} step={isFiltered ? common.filterStep : texts.noneStep} />
					) : (
						<>
							<DataTable label={common.policies} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
			{isMaking.value && <NewPolicy onClose={() => (isMaking.value = false)} />}
		</>
	);
}

/** Suggests the policy types to users who may list them. */
function PolicyFilters() {
	const types = useResource(async () => (session.may("policy_type_list") ? (await client.policies.types()).items : []), []);
	const refs = (types.value.value ?? []).map(({ ref }) => ref);
	return (
		<FilterBar
			filters={[
				{ name: "pack", label: common.pack, kind: "text" },
				{ name: "resource_ref", label: common.action, kind: "text", hint: common.actionHint },
				{ name: "policy_type", label: common.type, kind: refs.length > 0 ? "choice" : "text", values: refs },
			]}
		/>
	);
}
