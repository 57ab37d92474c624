import type { PageEntryRecord } from "../../_shipped/client.ts";
import type { PageDefinition, PageGroup } from "./kit/page.ts";
import { session } from "./kit/service.ts";

/** Pages in the order of the navigation. The first one is the start page. */
export const pages: readonly PageDefinition[] = [
	{ path: "/", title: "Start", group: "Watch", load: () => import("./start/start-page.tsx") },
	{
		path: "/history",
		title: "Runs",
		permission: "execution_list",
		group: "Watch",
		load: () => import("./executions/executions-page.tsx"),
	},
	{
		path: "/inquiries",
		title: "Inquiries",
		permission: "inquiry_list",
		group: "Watch",
		load: () => import("./inquiries/inquiries-page.tsx"),
	},
	{ path: "/inquiries/:id", title: "Inquiry", load: () => import("./inquiries/inquiry-page.tsx") },
	{
		path: "/events/:view?",
		title: "Events",
		permission: ["trigger_instance_list", "webhook_list", "timer_list", "sensor_type_list", "trigger_type_list"],
		group: "Watch",
		load: () => import("./events/events-page.tsx"),
	},
	{ path: "/events/triggers/:ref", title: "Trigger type", load: () => import("./events/trigger-type-page.tsx") },
	{ path: "/events/latest/:id", title: "Event", load: () => import("./events/event-page.tsx") },
	{
		path: "/actions",
		title: "Actions",
		permission: "action_list",
		group: "Automate",
		load: () => import("./actions/actions-page.tsx"),
	},
	{ path: "/actions/:ref", title: "Action", load: () => import("./actions/action-page.tsx") },
	{
		path: "/rules",
		title: "Rules",
		permission: "rule_list",
		group: "Automate",
		load: () => import("./rules/rules-page.tsx"),
	},
	{
		path: "/aliases",
		title: "Aliases",
		permission: "action_alias_list",
		feature: "aliases",
		group: "Automate",
		load: () => import("./aliases/aliases-page.tsx"),
	},
	{ path: "/aliases/:ref", title: "Alias", feature: "aliases", load: () => import("./aliases/alias-page.tsx") },
	{ path: "/rules/:ref", title: "Rule", load: () => import("./rules/rule-page.tsx") },
	{
		path: "/packs",
		title: "Packs",
		permission: ["pack_list", "pack_search"],
		group: "Manage",
		load: () => import("./packs/packs-page.tsx"),
	},
	{
		path: "/datastore/:scope?",
		title: "Datastore",
		group: "Manage",
		load: () => import("./datastore/datastore-page.tsx"),
	},
	{ path: "/datastore/:scope/:name", title: "Datastore item", load: () => import("./datastore/item-page.tsx") },
	{
		path: "/policies",
		title: "Policies",
		permission: "policy_list",
		group: "Manage",
		load: () => import("./policies/policies-page.tsx"),
	},
	{ path: "/policies/:ref", title: "Policy", load: () => import("./policies/policy-page.tsx") },
	{
		path: "/apikeys",
		title: "API keys",
		permission: ["api_key_list", "api_key_create"],
		group: "Manage",
		load: () => import("./api-keys/api-keys-page.tsx"),
	},
	{ path: "/apikeys/:id", title: "API key", load: () => import("./api-keys/api-key-page.tsx") },
	{ path: "/access/roles/:name", title: "Role", load: () => import("./access/role-page.tsx") },
	{ path: "/access/:view?", title: "Access", group: "Manage", load: () => import("./access/access-page.tsx") },
	{
		path: "/nodes",
		title: "Nodes",
		permission: "admin",
		group: "Manage",
		load: () => import("./nodes/nodes-page.tsx"),
	},
	{
		path: "/audit",
		title: "Audit",
		permission: "audit_view",
		feature: "audit",
		group: "Manage",
		load: () => import("./audit/audit-page.tsx"),
	},
	{ path: "/nodes/:id", title: "Node", load: () => import("./nodes/node-page.tsx") },
	{
		path: "/workers",
		title: "Workers",
		permission: "worker_list",
		feature: "workers",
		group: "Manage",
		load: () => import("./nodes/workers-page.tsx"),
	},
	{ path: "/workers/:id", title: "Worker", feature: "workers", load: () => import("./nodes/worker-page.tsx") },
	{ path: "/packs/:ref", title: "Pack", load: () => import("./packs/pack-page.tsx") },
	{ path: "/why/:trace?", title: "Why", load: () => import("./why/why-page.tsx") },
	{ path: "/history/:id/:view?", title: "Run", load: () => import("./execution/execution-page.tsx") },
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
