import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { createActionClient } from "./client.ts";

const actionAttributes = ["ref", "description", "runner_type", "entry_point", "enabled", "parameters", "tags"];
const runnerAttributes = ["name", "description", "enabled", "runner_parameters"];

export const addCatalogCommands: AddCommands = (parent, context) => {
	const action = parent.command("action").description("Look at the actions that can be run.");
	withNames(action, { path: "/actions", name: "ref" });

	withCommonOptions(action.command("list").description("List actions."))
		.option("-p, --pack <pack>", "of this pack")
		.action(async (_options, command) => {
			const options = optionsOf<{ pack?: string }>(command);
			const client = createActionClient(await openSession(options, context));
			await printList(await client.actions.list({ pack: options.pack }), ["ref", "pack", "description"], options, context);
		});

	withCommonOptions(action.command("get <refs...>").description("Show actions with their parameters.")).action(
		async (refs: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createActionClient(await openSession(options, context));
			for (const ref of refs)
				await printRecord(await orNotFound(client.actions.get(ref), "Action", ref, "svc action list"), actionAttributes, options, context);
		},
	);

	const runner = parent.command("runner").description("Look at the runner types.");
	withNames(runner, { path: "/runnertypes", name: "name" });

	withCommonOptions(runner.command("list").description("List runner types.")).action(async (_options, command) => {
		const options = optionsOf(command);
		const client = createActionClient(await openSession(options, context));
		await printList(await client.runnerTypes.list(), ["name", "enabled", "description"], options, context);
	});

	withCommonOptions(runner.command("get <names...>").description("Show runner types with their parameters.")).action(
		async (names: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createActionClient(await openSession(options, context));
			for (const name of names) {
				const record = await orNotFound(client.runnerTypes.get(name), "Runner type", name, "svc runner list");
				await printRecord(record, runnerAttributes, options, context);
			}
		},
	);
};
