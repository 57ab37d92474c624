import { defineAuthBackend } from "svc-automation/contract";

/** Users and passwords as the configuration lists them. */
export const listedUsers = defineAuthBackend("listed-users", ({ users }: { users: Readonly<Record<string, string>> }) => ({
	async authenticate({ username, password }) {
		return Object.hasOwn(users, username) && users[username] === password ? { username } : undefined;
	},
}));
