import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, withCommonOptions } from "../../cli/commands/options.ts";
import { createAccessClient } from "./client.ts";

const assignmentColumns = ["id", "role", "user", "is_remote", "source", "description"];

interface AssignmentOptions {
	readonly role?: string;
	readonly user?: string;
	readonly source?: string;
	readonly remote?: boolean;
}

export const addRoleCommands: AddCommands = (parent, context) => {
	const handlers = new ClientHandlers(createAccessClient, context);
	const role = parent.command("role").description("Look at the roles of the configuration.");

	withCommonOptions(role.command("list").description("List roles."))
		.option("-s, --system", "only those that are built in")
		.action(
			handlers.list<{ system?: boolean }>(["id", "name", "system", "description"], ({ roles }, { system }) => roles.list({ system })),
		);

	const assignment = parent.command("role-assignment").description("Look at who has which role.");

	withCommonOptions(assignment.command("list").description("List role assignments."))
		.option("-r, --role <role>", "of this role")
		.option("-u, --user <user>", "of this user; yourself unless you are an administrator")
		.option("-s, --source <source>", "from this place of the configuration, or this group")
		.option("--remote", "only those that come from groups")
		.action(
			handlers.list<AssignmentOptions>(assignmentColumns, ({ roleAssignments }, { role, user, source, remote }) =>
				roleAssignments.list({ role, user, source, remote }),
			),
		);

	withCommonOptions(assignment.command("get <ids...>").description("Show role assignments.")).action(
		handlers.show("Role assignment", assignmentColumns, ({ roleAssignments }, id) => roleAssignments.get(id)),
	);
};
