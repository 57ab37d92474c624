import type { JsonObject, JsonValue } from "../../core/contract/index.ts";

/** A run of an action that needs nothing but the machine. `{files}` in parameters stands for a directory of the run's own. */
export interface OfflineCase {
	readonly action: string;
	readonly parameters: JsonObject;
}

const csv = "first,last\nAda,Lovelace\nAlan,Turing\n";
const sheet = { excel_file: "{files}/book.xlsx", sheet: "Sheet1" };
const network = (name: string, parameters: JsonObject): OfflineCase => ({ action: `networking_utils.${name}`, parameters });

/** What the service makes of the descriptions of configurations, for the native runs. */
export const configurations: Readonly<Record<string, JsonObject>> = {
	examples: { config_item_1: "Testing", api_key: "" },
	gpg: { gpgbinary: "gpg", debug: false },
	excel: { excel_file: "", key_column: 1, variable_name_row: 1, lock_file_retries: 3, lock_file_delay: 1 },
};

/** In this order: some make what later ones read. */
export const offlineCases: readonly OfflineCase[] = [
	{ action: "csv.parse", parameters: { data: csv, delimiter: ",", quote_char: '"' } },
	{ action: "csv.format", parameters: { data: [{ first: "Ada", last: "Lovelace, A." }], delimiter: ",", quote_char: '"' } },
	{ action: "csv.format", parameters: { data: [], delimiter: ",", quote_char: '"' } },
	{ action: "csv.parse_file", parameters: { file_path: "{files}/table.csv", delimiter: ",", quote_char: '"' } },
	network("contains", { item: "10.1.2.3", item_type: "address", container: "10.1.0.0/16" }),
	network("contains", { item: "10.1.2.0/24", item_type: "network", container: "192.168.0.0/16" }),
	network("hosts", { family: "ipv4", network: "10.0.0.0/29" }),
	network("subnets", { family: "any", network: "10.0.0.0/22", new_prefix: 24 }),
	network("subnets", { family: "ipv6", network: "10.0.0.0/22", new_prefix: 24 }),
	network("is_valid_ip", { ip_address: "10.0.0.1", no_loopback: false }),
	network("is_valid_ip_port", { port: 80 }),
	network("is_valid_ip_port", { port: 80_000 }),
	network("is_valid_hostname", { hostname: "host.example.org" }),
	network("is_valid_hostname", { hostname: "-host" }),
	network("is_valid_asa_nameif", { nameif: "outside" }),
	network("ip_calc", { subnet: "10.0.0.0/24" }),
	{
		action: "excel.set_variables",
		parameters: { ...sheet, key: "host1", variables: '{"ip": "10.0.0.1"}', strict: false, key_column: 1, variable_name_row: 1 },
	},
	{ action: "excel.get_variables", parameters: { ...sheet, key: "host1", variables: "[]", key_column: 1, variable_name_row: 1 } },
	{ action: "excel.get_sheets", parameters: { excel_file: sheet.excel_file } },
	{ action: "excel.get_keys_for_columns", parameters: { ...sheet, key_column: 1, variable_name_row: 1 } },
	{ action: "xml.parse", parameters: { data: "<a b='c'><d>1</d><d/></a>" } },
	{ action: "xml.parse", parameters: { data: "<a>" } },
	{ action: "xml.parse_file", parameters: { file_path: "{files}/page.xml" } },
	{ action: "xml.parse_file", parameters: { file_path: "{files}/none.xml" } },
	{ action: "gpg.list_keys", parameters: {} },
	{ action: "gpg.encrypt_file", parameters: { file_path: "{files}/table.csv", recipients: ["nobody"], output_path: "{files}/table.gpg" } },
	{ action: "linux.dig", parameters: { rand: false, count: 0, nameserver: "", hostname: "", queryopts: "short", querytype: "A" } },
	{ action: "examples.isprime", parameters: { value: 7 } },
	{ action: "examples.isprime", parameters: { value: 8 } },
	{ action: "mqtt.publish", parameters: { topic: "yard", message: "nobody listens" } },
	{ action: "consul.catalog_datacenters", parameters: {} },
	{ action: "jenkins.list_jobs", parameters: {} },
	{ action: "terraform.get_version", parameters: {} },
	{ action: "napalm.get_facts", parameters: { hostname: "nowhere" } },
];

/** Actions of commands: the command itself is run natively, with the parameters in their places. */
export const commandCases: readonly (OfflineCase & { readonly command: string })[] = [
	{
		action: "git.get_remote_repo_latest_commit",
		parameters: { repo_remote: "{files}/repository", branch: "main" },
		command: "git ls-remote {files}/repository main | cut -f1 | tr -d '\\n'",
	},
];

/** A workflow or chain, and what the platform's own integration tests expect of it. */
export interface WorkflowCase extends OfflineCase {
	readonly status: "succeeded" | "failed";
	/** Of the result; absent: only the status is expected. */
	readonly output?: JsonValue;
}

const workflow = (name: string, parameters: JsonObject, output?: JsonValue): WorkflowCase => ({
	...{ action: `examples.${name}`, parameters, status: "succeeded" },
	...(output !== undefined && { output }),
});
const failing = (name: string, parameters: JsonObject = {}, output: JsonValue = null): WorkflowCase => ({
	...workflow(name, parameters, output),
	status: "failed",
});
const members = ["Lakshmi", "Lindsay", "Tomaz", "Matt", "Drew"];
const shout = { message: "$%#&@#$!!!" };

export const workflowCases: readonly WorkflowCase[] = [
	workflow("orquesta-sequential", { name: "Thanos" }, { greeting: "Thanos, All your base are belong to us!" }),
	workflow("orquesta-sequential", { name: "薩諾斯" }, { greeting: "薩諾斯, All your base are belong to us!" }),
	workflow(
		"orquesta-join",
		{},
		{
			messages: [
				"Fee fi fo fum",
				"I smell the blood of an English man",
				"Be alive, or be he dead",
				"I'll grind his bones to make my bread",
			],
		},
	),
	workflow("orquesta-rollback-retry", {}, null),
	workflow("orquesta-test-action-less-tasks", { name: "Thanos" }, { greeting: "THANOS, ALL YOUR BASE ARE BELONG TO US!" }),
	workflow("orquesta-subworkflow", {}),
	workflow("orquesta-data-flow", { a1: "床前明月光" }, { a5: "床前明月光", b5: "床前明月光" }),
	workflow("orquesta-with-items", { members }, { items: members.map((name) => `${name}, resistance is futile!`) }),
	workflow("orquesta-task-retry", {}),
	workflow("orquesta-test-subworkflow-empty-with-items", {}),
	workflow("orquesta-error-handling-noop", { cmd: "exit 1" }, shout),
	workflow(
		"orquesta-st2kv-default",
		{ key_name: "system.matt", decrypt: true, default: "stone" },
		{ value_from_yaql: "stone", value_from_jinja: "stone" },
	),
	workflow(
		"orquesta-test-field-escaping",
		{},
		{
			"wf.hostname.with.periods": {
				"hostname.domain.tld": "vars.value.with.periods",
				"hostname2.domain.tld": { stdout: "vars.nested.value.with.periods" },
			},
			"wf.output.with.periods": "vars.nested.value.with.periods",
		},
	),
	failing("orquesta-output-on-error", {}, { progress: 25 }),
	failing("orquesta-error-handling-continue", { cmd: "exit 1" }, shout),
	failing("orquesta-error-handling-fail-manually", { cmd: "exit 1" }, shout),
	failing("orquesta-remediate-then-fail"),
	failing("orquesta-task-retry-exhausted"),
	failing("orquesta-test-with-items-failure"),
	failing("orquesta-fail-inspection"),
	failing("orquesta-fail-inspection-task-contents"),
	failing("orquesta-fail-input-rendering"),
	failing("orquesta-fail-vars-rendering"),
	failing("orquesta-fail-output-rendering"),
	workflow("echochain", {}),
	failing("echochain_task_failure"),
	{ action: "hello_st2.greet", parameters: { greeting: "Hello" }, status: "succeeded" },
];
