import type { Command } from "commander";
import { type AddCommands, type CommonOptions, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readAllPages } from "../../cli/read-all-pages.ts";
import { readObject } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import { createPolicyClient, type PolicyClient, type PolicyRequest } from "./client.ts";

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
	const policy = parent.command("policy").description("Make and manage policies: how many executions at once, and what follows a failure.");
	withNames(policy, { path: "/policies", name: "ref" });

	withCommonOptions(policy.command("list").description("List policies."))
		.option("-p, --pack <pack>", "of this pack")
		.option("-r, --resource-ref <ref>", "of this action")
		.option("--policy-type <type>", "of this policy type")
		.action(async (_options, command) => {
			const { pack, resourceRef: resource_ref, policyType: policy_type, ...options } = optionsOf<ListOptions>(command);
			const client = createPolicyClient(await openSession(options, context));
			await printList(await readAllPages(client.list, { pack, resource_ref, policy_type }), columns, options, context);
		});

	withCommonOptions(policy.command("get <refs...>").description("Show policies.")).action(
		forEach(context, async (client, ref, options) => printRecord(await client.get(ref), attributes, options, context)),
	);

	withCommonOptions(policy.command("create <file>").description("Make a policy from a JSON or YAML file.")).action(
		async (file: string, _options, command) => {
			const options = optionsOf(command);
			const input = readObject(file) as unknown as PolicyRequest;
			await printRecord(await createPolicyClient(await openSession(options, context)).create(input), attributes, options, context);
		},
	);

	withCommonOptions(policy.command("update <ref> <file>").description("Replace a policy by what a JSON or YAML file says.")).action(
		async (ref: string, file: string, _options, command) => {
			const options = optionsOf(command);
			const client = createPolicyClient(await openSession(options, context));
			const updated = client.update(ref, readObject(file) as unknown as PolicyRequest);
			await printRecord(await orNotFound(updated, "Policy", ref, "svc policy list"), attributes, options, context);
		},
	);

	withCommonOptions(policy.command("delete <refs...>").description("Delete policies.")).action(
		forEach(context, async (client, ref) => {
			await client.remove(ref);
			await write(context.stdout, `Policy ${ref} deleted\n`);
		}),
	);

	for (const [verb, enabled] of [
		["enable", true],
		["disable", false],
	] as const) {
		const description = enabled ? "Put policies in force." : "Put policies out of force.";
		withCommonOptions(policy.command(`${verb} <refs...>`).description(description)).action(
			forEach(context, async (client, ref, options) => {
				const changed = await client.update(ref, { ...(await client.get(ref)), enabled });
				await printRecord(changed, columns, options, context);
			}),
		);
	}

	addPolicyTypeCommands(parent, context);
};

const addPolicyTypeCommands: AddCommands = (parent, context) => {
	const type = parent.command("policy-type").description("Look at the kinds of policies there are.");
	withNames(type, { path: "/policytypes", name: "ref" });

	withCommonOptions(type.command("list").description("List policy types."))
		.option("-r, --resource-type <type>", "for this kind of resource, such as action")
		.action(async (_options, command) => {
			const { resourceType: resource_type, ...options } = optionsOf<{ resourceType?: string }>(command);
			const client = createPolicyClient(await openSession(options, context));
			await printList(await client.types({ resource_type }), typeColumns, options, context);
		});

	withCommonOptions(type.command("get <refs...>").description("Show policy types and their parameters.")).action(
		async (refs: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createPolicyClient(await openSession(options, context));
			for (const ref of refs) {
				const record = await orNotFound(client.type(ref), "Policy type", ref, "svc policy-type list");
				await printRecord(record, typeAttributes, options, context);
			}
		},
	);
};

/** Returns a command handler that calls `act` for each given policy. */
function forEach(context: CliContext, act: (client: PolicyClient, ref: string, options: CommonOptions) => Promise<void>) {
	return async (refs: string[], _options: unknown, command: Command) => {
		const options = optionsOf(command);
		const client = createPolicyClient(await openSession(options, context));
		for (const ref of refs) await orNotFound(act(client, ref, options), "Policy", ref, "svc policy list");
	};
}
