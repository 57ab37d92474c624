import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { type CliContext, CliExit } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printRecord } from "../../cli/print-records.ts";
import { Prompts } from "../../cli/prompts.ts";
import { escapeControlCharactersInLines } from "../../contract/control-characters.ts";
import { type JsonObject, parseJson } from "../../contract/index.ts";
import { promptForProperties } from "./answer-prompts.ts";
import { createInquiryClient } from "./client.ts";

const columns = ["id", "roles", "users", "route", "ttl"];

export const addInquiryCommands: AddCommands = (parent, context) => {
	const group = parent.command("inquiry").description("Manage inquiries: questions of executions that wait for an answer.");
	const inquiries = new RecordCommands(group, context, {
		noun: "inquiry",
		createClient: createInquiryClient,
		readNewest: (client) => client.list({ limit: 1, sort_desc: "True" }),
	});

	inquiries
		.addList<{ limit: number }>(
			"List inquiries, newest first.",
			columns,
			(client, { limit }) => client.list({ limit, sort_desc: "True" }),
			"-n",
		)
		.option(...limitOption, toInteger, 50);
	inquiries.addShow("get <ids...>", "Show inquiries.", [...columns, "schema"], (client, id) => client.get(id));

	inquiries
		.addRun<{ response?: string; reason?: string }, [id: string]>(
			"respond <id>",
			"Answer an inquiry. Without -r, the command prompts for each property.",
			async (open, options, given) => {
				const client = await open();
				const id = await inquiries.resolve(client, given);
				const { schema } = await orNotFound(client.get(id), "inquiry", id, "svc inquiry list");
				const response = options.response === undefined ? await promptForAnswer(schema, context) : parseAnswer(options.response);
				await printRecord(await client.respond(id, response, options.reason), ["id", "response"], options, context);
			},
		)
		.option("-r, --response <json>", "answer as a JSON object")
		.option("--reason <text>", "reason, stored with the name of the user");
	withExamples(group, {
		list: ["svc inquiry list"],
		get: ["svc inquiry get last"],
		respond: ["svc inquiry respond last", `svc inquiry respond 65f0a1b2c3d4e5f6a7b8c9d0 -r '{"continue": true}'`],
	});
};

function parseAnswer(text: string): JsonObject {
	try {
		const value: unknown = parseJson(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
	} catch {
		// The error below covers invalid JSON and values that are not objects.
	}
	throw new CliExit(1, "--response: must be a JSON object, such as '{\"continue\": true}'");
}

async function promptForAnswer(schema: JsonObject, context: CliContext): Promise<JsonObject> {
	const prompts = new Prompts(context);
	try {
		return await promptForProperties(schema, prompts, (text) => context.stderr.write(escapeControlCharactersInLines(text)));
	} finally {
		prompts.close();
	}
}
