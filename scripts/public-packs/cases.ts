import type { JsonObject } from "../../core/contract/index.ts";

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
