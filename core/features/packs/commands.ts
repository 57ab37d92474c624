import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { CliExit } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
import type { JsonObject } from "../../contract/index.ts";
import { createConfigClient } from "./client.ts";

const attributes = ["pack", "values"];

export const addPackConfigCommands: AddCommands = (parent, context) => {
	const handlers = new ClientHandlers(createConfigClient, context);
	const config = parent.command("config").description("Look at configurations of packs, and change them.");
	withNames(config, { path: "/configs", name: "pack" });

	withCommonOptions(config.command("list").description("List configurations."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger)
		.action(handlers.list<{ last?: number }>(attributes, (client, { last }) => client.list({ limit: last }), "-n"));

	withCommonOptions(config.command("get <pack>").description("Show the configuration of a pack."))
		.option("--show-secrets", "with secret values (administrators)")
		.action(
			handlers.run<{ showSecrets?: boolean }, [pack: string]>(async (client, options, pack) => {
				const reading = client.get(pack, { show_secrets: options.showSecrets });
				await printRecord(await orNotFound(reading, "Configuration of pack", pack, "svc config list"), attributes, options, context);
			}),
		);

	withCommonOptions(config.command("schema <pack>").description("Show what a pack lets be configured.")).action(
		handlers.run<object, [pack: string]>(async (client, options, pack) => {
			const record = await orNotFound(client.schema(pack), "Configuration schema of pack", pack, "svc config list");
			await printRecord(record, ["pack", "attributes"], options, context);
		}),
	);

	withCommonOptions(
		config.command("set <pack> <file>").description("Replace the configuration of a pack by the values in a JSON or YAML file."),
	).action(
		handlers.run<object, [pack: string, file: string]>(async (client, options, pack, file) =>
			printRecord(await client.set(pack, readValues(file)), attributes, options, context),
		),
	);
};

function readValues(file: string): JsonObject {
	const content = readValue(file);
	if (typeof content !== "object" || content === null || Array.isArray(content))
		throw new CliExit(2, `${file} must hold an object of values`);
	return content as JsonObject;
}
