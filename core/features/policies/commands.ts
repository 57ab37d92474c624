import { withExamples } from "../../cli/commands/examples.ts";
import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { readAllPages } from "../../cli/read-all-pages.ts";
import { createPolicyClient } from "./client.ts";

const columns = ["ref", "resource_ref", "policy_type", "enabled"];
const attributes = ["id", "ref", "description", "enabled", "resource_ref", "policy_type", "parameters", "metadata_file"];
const typeColumns = ["ref", "resource_type", "enabled", "description"];
const typeAttributes = ["id", "ref", "resource_type", "enabled", "description", "parameters"];

interface ListOptions {
	readonly pack?: string;
	readonly resourceRef?: string;
	readonly policyType?: string;
}

export const addPolicyCommands: AddCommands = (parent, context) => {
	const group = parent.command("policy").description("Manage policies, which limit concurrency and retry failures.");
	withNames(group, { path: "/policies", name: "ref" });
	const policies = new RecordCommands(group, context, { noun: "policy", createClient: createPolicyClient });

	policies
		.addList<ListOptions>("List policies.", columns, (client, { pack, resourceRef: resource_ref, policyType: policy_type }) =>
			readAllPages(client.list, { pack, resource_ref, policy_type }),
		)
		.option("-p, --pack <pack>", "list the policies of this pack")
		.option("-r, --resource-ref <ref>", "list the policies of this action")
		.option("--policy-type <type>", "list the policies of this type");
	policies.addShow("get <refs...>", "Show policies.", attributes, (client, ref) => client.get(ref));
	policies.addChanges("policies", attributes);
	policies.addSwitches("<refs...>", { enable: "Enable policies.", disable: "Disable policies." }, columns, async (client, ref, enabled) =>
		client.update(ref, { ...(await client.get(ref)), enabled }),
	);

	withExamples(group, {
		list: ["svc policy list --pack site"],
		get: ["svc policy get site.one_at_a_time"],
		create: ["svc policy create one_at_a_time.yaml"],
		update: ["svc policy update site.one_at_a_time one_at_a_time.yaml"],
		delete: ["svc policy delete site.one_at_a_time"],
		enable: ["svc policy enable site.one_at_a_time"],
		disable: ["svc policy disable site.one_at_a_time"],
	});
	addPolicyTypeCommands(parent, context);
};

const addPolicyTypeCommands: AddCommands = (parent, context) => {
	const group = parent.command("policy-type").description("Show policy types.");
	withNames(group, { path: "/policytypes", name: "ref" });
	const types = new RecordCommands(group, context, { noun: "policy type", createClient: createPolicyClient });

	types
		.addList<{ resourceType?: string }>("List policy types.", typeColumns, (client, { resourceType: resource_type }) =>
			client.types({ resource_type }),
		)
		.option("-r, --resource-type <type>", "list the types for this kind of resource, such as action");
	types.addShow("get <refs...>", "Show policy types with their parameters.", typeAttributes, (client, ref) => client.type(ref));
	withExamples(group, {
		list: ["svc policy-type list"],
		get: ["svc policy-type get action.concurrency"],
	});
};
