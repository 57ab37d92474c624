import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiDocument, toDocument } from "../core/http/openapi/document.ts";
import { routes } from "../plugins/_shipped/routes.ts";
import { run } from "./run.ts";

/** Inside the project, so that the client resolves; ignored by git. */
const workDirectory = "build/api-check";
/** Assigns each schema to its record, and back, in a line of its own. */
export const sameTypesFile = join(workDirectory, "same.ts");

/** Records of the client, by the schema of the API that they are the same as. */
export const sameTypes: Readonly<Record<string, string>> = {
	Action: "ActionRecord",
	ApiKey: "ApiKeyRecord",
	DefinitionFinding: "DefinitionFinding",
	Execution: "ExecutionRecord",
	Inquiry: "InquiryRecord",
	KeyValuePair: "KeyRecord",
	NewApiKey: "NewApiKeyRecord",
	Node: "NodeRecord",
	OutputChunk: 'Omit<client.OutputChunkRecord, "event_id">',
	PackConfig: "ConfigRecord",
	PackConfigSchema: "ConfigSchemaRecord",
	Policy: "PolicyRecord",
	PolicyType: "PolicyTypeRecord",
	Purge: "PurgeRecord",
	Role: "RoleRecord",
	RoleAssignment: "RoleAssignmentRecord",
	Rotation: "RotationRecord",
	Rule: "RuleRecord",
	RuleEnforcement: "RuleEnforcementRecord",
	RuleTest: "RuleTestRecord",
	RunGraph: "RunGraphRecord",
	RunnerType: "RunnerTypeRecord",
	Sensor: "SensorRecord",
	SingleNode: "SingleNodeRecord",
	Task: "TaskState",
	Timer: "TimerRecord",
	Token: "TokenRecord",
	Trace: "TraceRecord",
	TraceComponent: "TraceComponentRecord",
	Trigger: "TriggerRecord",
	TriggerInstance: "TriggerInstanceRecord",
	TriggerType: "TriggerTypeRecord",
	User: "UserRecord",
	Webhook: "WebhookRecord",
	WebhookDelivery: "WebhookDeliveryRecord",
	WorkflowGraph: "DefinitionGraph",
};

/** What is wrong with the description of the API: rules of OpenAPI it breaks, types of it that are not those of the client. */
export async function checkApi(
	document: ApiDocument = toDocument(routes, "0.0.0"),
	types: Readonly<Record<string, string>> = sameTypes,
): Promise<string[]> {
	return [...(await lint(document)), ...(await compareTypes(document, types))];
}

/** Writes the description to a working directory that is new; returns the path of the file. */
function writeDocument(document: ApiDocument): string {
	rmSync(workDirectory, { recursive: true, force: true });
	mkdirSync(workDirectory, { recursive: true });
	const file = join(workDirectory, "openapi.json");
	writeFileSync(file, JSON.stringify(document));
	return file;
}

/** Returns the rules of OpenAPI that the description breaks, warnings included. */
export async function lint(document: ApiDocument): Promise<string[]> {
	const file = writeDocument(document);
	// Nothing is asked of the network, and warnings count too.
	const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
	// To lead elsewhere is a success too; that each route has one is asked where the routes are taken.
	const rules = ["--extends", "recommended", "--skip-rule", "operation-2xx-response"];
	const { code, output } = await run("node_modules/.bin/redocly", ["lint", ...rules, "--format", "json", file], { env });
	return code === 0 && /"errors": 0,\s*"warnings": 0/.test(output) ? [] : [output.trim()];
}

/** Returns what the compiler says of schemas whose types are not those of the client's records; each has a line of `sameTypesFile`. */
export async function compareTypes(document: ApiDocument, types: Readonly<Record<string, string>>): Promise<string[]> {
	const file = writeDocument(document);
	const made = await run("node_modules/.bin/openapi-typescript", [file, "--immutable-types", "--output", join(workDirectory, "api.ts")]);
	if (made.code !== 0) return [made.output.trim()];
	const lines = Object.entries(types).map(([schema, record]) => {
		const [api, client] = [`Schemas["${schema}"]`, `Loose<${/</.test(record) ? record : `client.${record}`}>`];
		return `export const to${schema} = (it: ${client}): ${api} => it; export const from${schema} = (it: ${api}): ${client} => it;`;
	});
	// What a schema calls any value is unknown in types; in the client it is what JSON can hold.
	const loose = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Loose<T> = Same<Exclude<T, undefined>, JsonValue> extends true ? unknown : Same<Exclude<T, undefined>, JsonObject> extends true ? { readonly [key: string]: unknown } :
	T extends object ? { readonly [K in keyof T]: Loose<T[K]> } : T;`;
	const imports =
		'import type * as client from "../../core/features/clients.ts";\nimport type { JsonObject, JsonValue } from "../../core/contract/index.ts";\nimport type { components } from "./api.ts";\n';
	writeFileSync(sameTypesFile, `${imports}${loose}\ntype Schemas = components["schemas"];\n${lines.join("\n")}\n`);
	const options = { compilerOptions: { rootDir: "../.." }, extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] };
	writeFileSync(join(workDirectory, "tsconfig.json"), JSON.stringify(options));
	const { code, output } = await run("node_modules/.bin/tsc", ["-p", workDirectory, "--pretty", "false"]);
	return code === 0 ? [] : [output.trim()];
}
