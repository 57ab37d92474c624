import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { createAccessClient } from "./client.ts";

const assignmentColumns = ["id", "role", "user", "is_remote", "source", "description"];

interface AssignmentOptions {
	readonly role?: string;
	readonly user?: string;
	readonly source?: string;
	readonly remote?: boolean;
}

export const addRoleCommands: AddCommands = (parent, context) => {
	const role = parent.command("role").description("Look at the roles of the configuration.");

	withCommonOptions(role.command("list").description("List roles."))
		.option("-s, --system", "only those that are built in")
		.action(async (_options, command) => {
			const options = optionsOf<{ system?: boolean }>(command);
			const client = createAccessClient(await openSession(options, context));
			await printList(await client.roles.list({ system: options.system }), ["id", "name", "system", "description"], options, context);
		});

	const assignment = parent.command("role-assignment").description("Look at who has which role.");

	withCommonOptions(assignment.command("list").description("List role assignments."))
		.option("-r, --role <role>", "of this role")
		.option("-u, --user <user>", "of this user; yourself unless you are an administrator")
		.option("-s, --source <source>", "from this place of the configuration, or this group")
		.option("--remote", "only those that come from groups")
		.action(async (_options, command) => {
			const options = optionsOf<AssignmentOptions>(command);
			const { role: name, user, source, remote } = options;
			const client = createAccessClient(await openSession(options, context));
			await printList(await client.roleAssignments.list({ role: name, user, source, remote }), assignmentColumns, options, context);
		});

	withCommonOptions(assignment.command("get <ids...>").description("Show role assignments.")).action(
		async (ids: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createAccessClient(await openSession(options, context));
			for (const id of ids) {
				const record = await orNotFound(client.roleAssignments.get(id), "Role assignment", id, "svc role-assignment list");
				await printRecord(record, assignmentColumns, options, context);
			}
		},
	);
};
