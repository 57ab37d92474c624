import type { PageEntryRecord } from "../../_shipped/client.ts";
import type { PageDefinition, PageGroup } from "./kit/page.ts";
import { session } from "./kit/service.ts";
import * as common from "./texts/common.ts";

/** Pages in the order of the navigation. The first one is the start page. */
export const pages: readonly PageDefinition[] = [
	{ path: "/", title: common.start, group: "Watch", load: () => import("./start/start-page.tsx") },
	{
		path: "/history",
		title: common.executions,
		permission: "execution_list",
		group: "Watch",
		load: () => import("./executions/executions-page.tsx"),
	},
	{
		path: "/inquiries",
		title: common.inquiries,
		permission: "inquiry_list",
		group: "Watch",
		load: () => import("./inquiries/inquiries-page.tsx"),
	},
	{ path: "/inquiries/:id", title: common.inquiry, load: () => import("./inquiries/inquiry-page.tsx") },
	{
		path: "/events/:view?",
		title: common.events,
		permission: ["trigger_instance_list", "webhook_list", "timer_list", "sensor_type_list", "trigger_type_list"],
		group: "Watch",
		load: () => import("./events/events-page.tsx"),
	},
	{ path: "/events/triggers/:ref", title: common.triggerType, load: () => import("./events/trigger-type-page.tsx") },
	{ path: "/events/latest/:id", title: common.event, load: () => import("./events/event-page.tsx") },
	{
		path: "/actions",
		title: common.actions,
		permission: "action_list",
		group: "Automate",
		load: () => import("./actions/actions-page.tsx"),
	},
	{ path: "/actions/:ref", title: common.action, load: () => import("./actions/action-page.tsx") },
	{
		path: "/rules",
		title: common.rules,
		permission: "rule_list",
		group: "Automate",
		load: () => import("./rules/rules-page.tsx"),
	},
	{
		path: "/aliases",
		title: common.aliases,
		permission: "action_alias_list",
		feature: "aliases",
		group: "Automate",
		load: () => import("./aliases/aliases-page.tsx"),
	},
	{ path: "/aliases/:ref", title: common.alias, feature: "aliases", load: () => import("./aliases/alias-page.tsx") },
	{ path: "/rules/:ref", title: common.rule, load: () => import("./rules/rule-page.tsx") },
	{
		path: "/packs",
		title: common.packs,
		permission: ["pack_list", "pack_search"],
		group: "Manage",
		load: () => import("./packs/packs-page.tsx"),
	},
	{
		path: "/datastore/:scope?",
		title: common.datastore,
		group: "Manage",
		load: () => import("./datastore/datastore-page.tsx"),
	},
	{ path: "/datastore/:scope/:name", title: common.datastoreItem, load: () => import("./datastore/item-page.tsx") },
	{
		path: "/policies",
		title: common.policies,
		permission: "policy_list",
		group: "Manage",
		load: () => import("./policies/policies-page.tsx"),
	},
	{ path: "/policies/:ref", title: common.policy, load: () => import("./policies/policy-page.tsx") },
	{
		path: "/apikeys",
		title: common.apiKeys,
		permission: ["api_key_list", "api_key_create"],
		group: "Manage",
		load: () => import("./api-keys/api-keys-page.tsx"),
	},
	{ path: "/apikeys/:id", title: common.apiKey, load: () => import("./api-keys/api-key-page.tsx") },
	{ path: "/access/roles/:name", title: common.role, load: () => import("./access/role-page.tsx") },
	{ path: "/access/:view?", title: common.access, group: "Manage", load: () => import("./access/access-page.tsx") },
	{
		path: "/nodes",
		title: common.nodes,
		permission: "admin",
		group: "Manage",
		load: () => import("./nodes/nodes-page.tsx"),
	},
	{
		path: "/audit",
		title: common.audit,
		permission: "audit_view",
		feature: "audit",
		group: "Manage",
		load: () => import("./audit/audit-page.tsx"),
	},
	{ path: "/nodes/:id", title: common.node, load: () => import("./nodes/node-page.tsx") },
	{
		path: "/workers",
		title: common.workers,
		permission: "worker_list",
		feature: "workers",
		group: "Manage",
		load: () => import("./nodes/workers-page.tsx"),
	},
	{ path: "/workers/:id", title: common.worker, feature: "workers", load: () => import("./nodes/worker-page.tsx") },
	{ path: "/packs/:ref", title: common.pack, load: () => import("./packs/pack-page.tsx") },
	{ path: "/why/:trace?", title: common.why, load: () => import("./why/why-page.tsx") },
	{ path: "/history/:id/:view?", title: common.execution, load: () => import("./execution/execution-page.tsx") },
];

/** Returns all pages, and those of the features that have an entry for this user. */
export function allPages(): readonly PageDefinition[] {
	return [...pages, ...(session.user.value?.page_entries ?? []).map(toPage)];
}

/** One definition for each entry, so that the page of an entry is not loaded again whenever another component renders. */
const known = new WeakMap<PageEntryRecord, PageDefinition>();

function toPage(entry: PageEntryRecord): PageDefinition {
	const page = known.get(entry) ?? {
		path: `/features${entry.path}`,
		title: entry.title,
		group: entry.group as PageGroup,
		load: async () => ({ Page: (await import("./features/records-page.tsx")).toRecordsPage(entry) }),
	};
	known.set(entry, page);
	return page;
}
