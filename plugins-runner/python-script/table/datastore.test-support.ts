import * as assert from "node:assert/strict";
import type { Test } from "../python-pack.test-support.ts";
import type { Check } from "./check.test-support.ts";
import { type DatastoreServer, startDatastoreServer } from "./datastore-server.test-support.ts";

/** Body of `run`: all that an action can do with the datastore. */
export const datastoreUse = `
def attempt(call):
    try: return call()
    except Exception as error: return type(error).__name__ + ': ' + str(error)
s = self.action_service
first = [s.get_value('x'), s.set_value('x', 12), s.get_value(name='x', decrypt=True)]
s.set_value(name='a/b é', value='shared', local=False, ttl=60, encrypt=True)
names = [i.name for i in s.list_values()] + [i.value for i in s.datastore_service.list_values(local=False, prefix='a/')]
last = [s.delete_value('x'), s.delete_value('x'), s.get_value('broken'), s.get_user_info()['username']]
return [first, names, last, attempt(lambda: s.get_value('x', scope='user')), attempt(lambda: s.set_value('broken', 1))]
`;

/** Asserts what `datastoreUse` returned, and wrote to stderr. */
export function assertDatastoreUse(returned: unknown, stderr: unknown, { requests }: DatastoreServer): void {
	const [first, names, last, scope, write] = returned as readonly unknown[];
	assert.deepEqual(
		[first, names, last],
		[
			[null, true, "12"],
			["tests.Test:x", "shared"],
			[true, false, null, "tester"],
		],
	);
	assert.match(String(scope), /^ValueError: scope 'user' cannot be used/);
	assert.match(String(write), /^ServiceError: value 'tests\.Test:broken': Internal Server Error \(500\)/);
	assert.match(String(stderr), /^actions\.python\.service: ERROR .*'tests\.Test:broken' cannot be read: .* \(500\)\n$/);
	const put = requests.find((line) => line.includes("a/b"));
	assert.match(put ?? "", /^PUT \/v1\/keys\/a\/b é \{.*"ttl": ?60.*"secret": ?true/);
}

export function checkDatastore(check: Check, test: Test): void {
	let server: DatastoreServer | undefined;
	test.before(async () => {
		server = await startDatastoreServer();
	});
	test.after(() => server?.stop());
	const environment = () => server?.environment ?? {};

	check(
		"the datastore is reached with the token of the execution, another scope is refused, a failed write is raised",
		async ({ pack, runner }) => {
			const { result } = await runner.run({ ...pack.body("datastore", datastoreUse), environment: environment() });
			assert.ok(server !== undefined);
			assertDatastoreUse(result["result"], result["stderr"], server);
		},
	);

	check("a service that cannot be reached is an exception", async ({ pack, runner }) => {
		const away = { ...environment(), SVC_ACTION_API_URL: "http://127.0.0.1:1/v1" };
		const lost = await runner.run({ ...pack.body("lost", "self.action_service.set_value('x', 1)"), environment: away });
		assert.match(String(lost.result["stderr"]), /ServiceError: .*the service cannot be reached/);
	});
}
