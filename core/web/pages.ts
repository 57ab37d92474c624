import type { PageDefinition } from "./kit/page.ts";

/** The pages, in the order of the navigation. The first one is where somebody begins. */
export const pages: readonly PageDefinition[] = [
	{ path: "/", title: "Start", group: "Watch", load: () => import("./start/start-page.tsx") },
	{
		path: "/history",
		title: "Runs",
		permission: "execution_list",
		group: "Watch",
		load: () => import("./runs/runs-page.tsx"),
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
		permission: ["trigger_instance_list", "webhook_list", "timer_list", "sensor_type_list"],
		group: "Watch",
		load: () => import("./events/events-page.tsx"),
	},
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
	{ path: "/packs/:ref", title: "Pack", load: () => import("./packs/pack-page.tsx") },
	{ path: "/history/:id/:view?", title: "Run", load: () => import("./run/run-page.tsx") },
];
