import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defineAuthBackend, SvcError } from "svc-automation/contract";

type Users = Readonly<Record<string, { readonly salt: string; readonly hash: string; readonly groups?: readonly string[] }>>;

function toHash(password: string, salt: string): Promise<Buffer> {
	return new Promise((resolve, reject) => scrypt(password, salt, 32, (error, hash) => (error ? reject(error) : resolve(hash))));
}

const unknown = { salt: "", hash: "00".repeat(32) };

/** Users of a JSON file in the data directory: `{ "ann": { "salt": "…", "hash": "…", "groups": ["staff"] } }`. */
export const jsonFile = defineAuthBackend(
	"json-file",
	({ file = "users.json" }: { file?: string }) => {
		let path = file;
		async function readUsers(): Promise<Users> {
			try {
				return JSON.parse(await readFile(path, "utf8"));
			} catch (cause) {
				if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
				throw new SvcError("SVC_UNAVAILABLE", `the users in "${file}" cannot be read`, { cause });
			}
		}
		return {
			async start({ dataDirectory }) {
				path = resolve(dataDirectory, file);
			},
			async authenticate({ username, password }, { signal }) {
				const users = await readUsers();
				signal.throwIfAborted();
				// scrypt treats passwords that differ only by NUL characters at the end as equal.
				if (password.includes("\0")) return undefined;
				const user = Object.hasOwn(users, username) ? users[username] : undefined;
				const { salt, hash } = user ?? unknown;
				const matches = timingSafeEqual(await toHash(password, salt), Buffer.from(hash, "hex"));
				return matches && user !== undefined ? { username, groups: user.groups ?? [] } : undefined;
			},
			async isEmpty() {
				return Object.keys(await readUsers()).length === 0;
			},
			async addUser({ username, password }) {
				const salt = randomBytes(16).toString("hex");
				const hash = (await toHash(password, salt)).toString("hex");
				await writeFile(path, JSON.stringify({ ...(await readUsers()), [username]: { salt, hash } }, undefined, "\t"), { mode: 0o600 });
			},
		};
	},
	{ contract: 1 },
);
