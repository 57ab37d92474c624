import { stringify } from "yaml";
import { defineRunner, type RbacConfig } from "../../core/contract/index.ts";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { announcement } from "../../plugins-runner/announcement/index.ts";

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** What the file of the pack says. */
export const sweep = {
	name: "sweep",
	pack: "disk",
	description: "Free space",
	action_ref: "disk.sweep",
	formats: [{ display: "sweep <volume>", representation: ["sweep {{ volume }}", "clean {{ volume }}"] }, "tidy {{ volume=/ }}"],
	ack: { format: "Sweeping, id {{ execution.id }}", append_url: false },
	result: { format: "Done." },
};
/** Its result is the parameters that it was given. */
const tell = defineRunner("tell", () => ({
	description: "Tells what it was given.",
	capabilities: {},
	parameters: {},
	run: async ({ actionParameters }) => ({ succeeded: true, result: actionParameters }),
}));
const packs = {
	"disk/pack.yaml": stringify({ ref: "disk", name: "disk", description: "Disks.", version: "1.0.0", author: "somebody" }),
	"disk/actions/sweep.yaml": stringify({
		name: "sweep",
		runner_type: "tell",
		parameters: {
			volume: { type: "string" },
			hosts: { type: "array", items: { type: "string" } },
			depth: { type: "integer" },
			pin: { type: "string", secret: true },
			asked_by: { type: "string", default: "{{ action_context.api_user | default('nobody') }}" },
			note: { type: "string" },
			item: { type: "string", default: "{{ svckv.user.note }}" },
		},
		notify: { "on-complete": { routes: ["own"] } },
	}),
	"disk/aliases/sweep.yaml": stringify(sweep),
};
const rbac: RbacConfig = {
	roles: [
		{ name: "bridge", permission_grants: [{ resource_uid: "action:disk:sweep", permission_types: ["action_execute", "action_view"] }] },
		{
			name: "chatter",
			permission_grants: [{ resource_uid: "pack:chatops", permission_types: ["action_execute", "action_view"] }],
		},
		{
			name: "follower",
			permission_grants: [
				{ resource_uid: "action:disk:sweep", permission_types: ["action_execute"] },
				{ permission_types: ["stream_view"] },
			],
		},
		{ name: "sweep_viewer", permission_grants: [{ resource_uid: "action:disk:sweep", permission_types: ["action_view"] }] },
		{ name: "helper", permission_grants: [{ permission_types: ["action_alias_help", "action_alias_match"] }] },
	],
	assignments: [
		{ username: "bot", roles: ["bridge"] },
		{ username: "follower", roles: ["follower"] },
		{ username: "viewer", roles: ["follower", "sweep_viewer"] },
		{ username: "hal", roles: ["helper"] },
		{ username: "chatter", roles: ["chatter"] },
	],
};

/** Run with a service that has the pack `disk`, asked as an administrator. */
export const withAliasService = (run: (ask: Ask, service: GuardedService) => Promise<void>) =>
	withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			await run((method, path, body) => service.ask(root, method, `/v1${path}`, body), service);
		},
		{ rbac, runners: [tell(), announcement()], packs },
	);
