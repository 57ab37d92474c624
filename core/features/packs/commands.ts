import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { CliExit } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import type { JsonObject } from "../../contract/index.ts";
import { createConfigClient } from "./client.ts";

export const addPackConfigCommands: AddCommands = (parent, context) => {
	const config = parent.command("config").description("Look at configurations of packs, and change them.");
	withNames(config, { path: "/configs", name: "pack" });

	withCommonOptions(config.command("list").description("List configurations."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger)
		.action(async (_options, command) => {
			const options = optionsOf<{ last?: number }>(command);
			const client = createConfigClient(await openSession(options, context));
			const page = await client.list({ limit: options.last });
			await printList(page, ["pack", "values"], { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(config.command("get <pack>").description("Show the configuration of a pack."))
		.option("--show-secrets", "with secret values (administrators)")
		.action(async (pack: string, _options, command) => {
			const options = optionsOf<{ showSecrets?: boolean }>(command);
			const client = createConfigClient(await openSession(options, context));
			const record = await orNotFound(
				client.get(pack, { show_secrets: options.showSecrets }),
				"Configuration of pack",
				pack,
				"svc config list",
			);
			await printRecord(record, ["pack", "values"], options, context);
		});

	withCommonOptions(config.command("schema <pack>").description("Show what a pack lets be configured.")).action(
		async (pack: string, _options, command) => {
			const options = optionsOf(command);
			const client = createConfigClient(await openSession(options, context));
			const record = await orNotFound(client.schema(pack), "Configuration schema of pack", pack, "svc config list");
			await printRecord(record, ["pack", "attributes"], options, context);
		},
	);

	withCommonOptions(
		config.command("set <pack> <file>").description("Replace the configuration of a pack by the values in a JSON or YAML file."),
	).action(async (pack: string, file: string, _options, command) => {
		const options = optionsOf(command);
		const client = createConfigClient(await openSession(options, context));
		await printRecord(await client.set(pack, readValues(file)), ["pack", "values"], options, context);
	});
};

function readValues(file: string): JsonObject {
	const content = readValue(file);
	if (typeof content !== "object" || content === null || Array.isArray(content))
		throw new CliExit(2, `${file} must hold an object of values`);
	return content as JsonObject;
}
