import { withExamples } from "../../cli/commands/examples.ts";
import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { createActionClient } from "./client.ts";

const actionAttributes = ["ref", "description", "runner_type", "entry_point", "enabled", "parameters", "tags"];
const runnerAttributes = ["name", "description", "enabled", "runner_parameters"];

export const addCatalogCommands: AddCommands = (parent, context) => {
	const action = parent.command("action").description("Show actions.");
	withNames(action, { path: "/actions", name: "ref" });
	const actions = new RecordCommands(action, context, { noun: "action", createClient: (api) => createActionClient(api).actions });
	actions
		.addList<{ pack?: string }>("List actions.", ["ref", "pack", "description"], (client, { pack }) => client.list({ pack }))
		.option("-p, --pack <pack>", "list the actions of this pack");
	actions.addShow("get <refs...>", "Show actions with their parameters.", actionAttributes, (client, ref) => client.get(ref));

	const runner = parent.command("runner").description("Show runner types.");
	withNames(runner, { path: "/runnertypes", name: "name" });
	const types = new RecordCommands(runner, context, { noun: "runner type", createClient: (api) => createActionClient(api).runnerTypes });
	types.addList("List runner types.", ["name", "enabled", "description"], (client) => client.list());
	types.addShow("get <names...>", "Show runner types with their parameters.", runnerAttributes, (client, name) => client.get(name));
	withExamples(action, {
		list: ["svc action list", "svc action list --pack core"],
		get: ["svc action get core.local", "svc action get core.local core.http -j"],
	});
	withExamples(runner, {
		list: ["svc runner list"],
		get: ["svc runner get local-shell-cmd"],
	});
};
