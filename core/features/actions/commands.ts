import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { createActionClient } from "./client.ts";

const actionAttributes = ["ref", "description", "runner_type", "entry_point", "enabled", "parameters", "tags"];
const runnerAttributes = ["name", "description", "enabled", "runner_parameters"];

export const addCatalogCommands: AddCommands = (parent, context) => {
	const handlers = new ClientHandlers(createActionClient, context);
	const action = parent.command("action").description("Look at the actions that can be run.");
	withNames(action, { path: "/actions", name: "ref" });

	withCommonOptions(action.command("list").description("List actions."))
		.option("-p, --pack <pack>", "of this pack")
		.action(handlers.list<{ pack?: string }>(["ref", "pack", "description"], ({ actions }, { pack }) => actions.list({ pack })));

	withCommonOptions(action.command("get <refs...>").description("Show actions with their parameters.")).action(
		handlers.show("Action", actionAttributes, ({ actions }, ref) => actions.get(ref)),
	);

	const runner = parent.command("runner").description("Look at the runner types.");
	withNames(runner, { path: "/runnertypes", name: "name" });

	withCommonOptions(runner.command("list").description("List runner types.")).action(
		handlers.list(["name", "enabled", "description"], ({ runnerTypes }) => runnerTypes.list()),
	);

	withCommonOptions(runner.command("get <names...>").description("Show runner types with their parameters.")).action(
		handlers.show("Runner type", runnerAttributes, ({ runnerTypes }, name) => runnerTypes.get(name)),
	);
};
