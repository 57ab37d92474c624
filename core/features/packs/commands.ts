import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { CliExit } from "../../cli/context.ts";
import { printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
import type { JsonObject } from "../../contract/index.ts";
import { createConfigClient } from "./client.ts";

const attributes = ["pack", "values"];

export const addPackConfigCommands: AddCommands = (parent, context) => {
	const group = parent.command("config").description("Manage the configurations of packs.");
	withNames(group, { path: "/configs", name: "pack" });
	const configs = new RecordCommands(group, context, { noun: "configuration of pack", createClient: createConfigClient });
	const schemas = new RecordCommands(group, context, { noun: "configuration schema of pack", createClient: createConfigClient });

	configs
		.addList<{ limit: number }>("List configurations of packs.", attributes, (client, { limit }) => client.list({ limit }), "-n")
		.option(...limitOption, toInteger, 100);
	configs
		.addShow<{ showSecrets?: boolean }>(
			"get <pack>",
			"Show the configuration of a pack.",
			attributes,
			(client, pack, { showSecrets: show_secrets }) => client.get(pack, { show_secrets }),
		)
		.option("--show-secrets", "show secret values (administrators)");
	schemas.addShow("schema <pack>", "Show the configuration schema of a pack.", ["pack", "attributes"], (client, pack) =>
		client.schema(pack),
	);
	configs.addRun<object, [pack: string, file: string]>(
		"set <pack> <file>",
		"Replace the configuration of a pack with the values in a JSON or YAML file.",
		async (open, options, pack, file) => {
			const values = readValues(file);
			await printRecord(await (await open()).set(pack, values), attributes, options, context);
		},
	);
	withExamples(group, {
		list: ["svc config list"],
		get: ["svc config get site", "svc config get site --show-secrets"],
		schema: ["svc config schema site"],
		set: ["svc config set site site.yaml"],
	});
};

function readValues(file: string): JsonObject {
	const content = readValue(file);
	if (typeof content !== "object" || content === null || Array.isArray(content))
		throw new CliExit(2, `file "${file}" must contain an object of values`);
	return content as JsonObject;
}
