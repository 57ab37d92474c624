import { isSvcError } from "../../contract/index.ts";
import { type CliContext, CliExit, write } from "../context.ts";
import { readPassword } from "../password.ts";
import { printList } from "../print-records.ts";
import { configOption } from "./config-option.ts";
import { withExamples } from "./examples.ts";
import { type AddCommands, optionsOf, withFormatOptions } from "./options.ts";

/**
 * Adds the commands for users that the auth backend of a configuration stores itself. Changes take effect at once, also in a running
 * service.
 */
export const addUserCommands: AddCommands = (parent, context) => {
	const { users } = context;
	if (users === undefined) return;
	const group = parent.command("user").description("Manage the users that the auth backend stores, such as those in a password file.");

	withFormatOptions(group.command("list").description("List users."))
		.option(...configOption)
		.action(async (_options, command) => {
			const options = optionsOf<{ config: string }>(command);
			const names = await users(options, (kept) => kept.listUsers());
			await printList(
				{ items: names.map((username) => ({ username })), total: names.length, limit: undefined },
				["username"],
				options,
				context,
			);
		});

	group
		.command("create <name>")
		.description("Create a user. The password is read from a prompt or from standard input.")
		.option(...configOption)
		.action((name: string, { config }: { config: string }) => setPassword({ name, config, isNew: true }, context));

	group
		.command("update <name>")
		.description("Change the password of a user. The password is read from a prompt or from standard input.")
		.option(...configOption)
		.action((name: string, { config }: { config: string }) => setPassword({ name, config, isNew: false }, context));

	group
		.command("delete <name>")
		.description("Delete a user. The tokens of the user stay valid until they expire.")
		.option(...configOption)
		.action(async (name: string, { config }: { config: string }) => {
			await users({ config }, (kept) => kept.removeUser(name)).catch(explain);
			await write(context.stdout, `User "${name}" deleted.\n`);
		});
	withExamples(group, {
		list: ["svc user list"],
		create: ["svc user create maria", "svc user create maria < password.txt"],
		update: ["svc user update maria"],
		delete: ["svc user delete maria"],
	});
};

interface Change {
	readonly name: string;
	readonly config: string;
	readonly isNew: boolean;
}

async function setPassword({ name: username, config, isNew }: Change, context: CliContext): Promise<void> {
	await context.users?.({ config }, async (kept) => {
		// Check the name before the user has to choose a password.
		const isKnown = (await kept.listUsers()).includes(username);
		if (isKnown && isNew) {
			throw new CliExit(1, `user "${username}" already exists; change the password with \`svc user update ${username}\``);
		}
		if (!isKnown && !isNew) throw new CliExit(2, `user "${username}" does not exist; \`svc user list\` lists the users`);
		const password = await readNewPassword(username, context);
		await kept.setPassword({ username, password }, { isNew }).catch(explain);
	});
	await write(context.stdout, isNew ? `User "${username}" created.\n` : `Password of user "${username}" changed.\n`);
}

/** Reads the password twice from a terminal, because it is not shown while it is typed. */
async function readNewPassword(username: string, context: CliContext): Promise<string> {
	const password = await readPassword(`New password of ${username}: `, context);
	if (context.stdin.isTTY !== true) return password;
	if ((await readPassword("Repeat the password: ", context)) === password) return password;
	throw new CliExit(1, "password: the two entries differ; nothing was changed");
}

function explain(error: unknown): never {
	if (isSvcError(error, "SVC_NOT_FOUND")) throw new CliExit(2, error.message);
	if (isSvcError(error, "SVC_INVALID") || isSvcError(error, "SVC_CONFLICT")) throw new CliExit(1, error.message);
	throw error;
}
