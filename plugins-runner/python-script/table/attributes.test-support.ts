import * as assert from "node:assert/strict";
import type { Check } from "./check.test-support.ts";

const names = ["MINE", "SVC_ACTION_API_URL", "SVC_API_URL", "PYTHONPATH", "pythonpath"];

/** Body of `run`: variables of its environment. */
export const environmentUse = `return [os.environ.get(n) for n in ${JSON.stringify(names)}]`;

/** Variables that an action asks for. */
export const ownVariables = { MINE: "é", PYTHONPATH: "/x", pythonpath: "/y", SVC_ACTION_API_URL: "forged" };

/** What `environmentUse` returns where the service is at `url`. */
export const toSeenVariables = (url: string) => ["é", url, url, null, null];

export function checkAttributes(check: Check): void {
	check("the logger writes its lines to stderr, from its level on", async ({ pack, runner }) => {
		const options = pack.body(
			"logs",
			"import logging\nself.logger.debug('d')\nself.logger.warning('w %s', 1)\nself.logger.log(60, 'a')\nreturn 1",
		);
		const all = await runner.run(options);
		assert.equal(
			all.result["stderr"],
			"actions.python.Test: DEBUG    d\nactions.python.Test: WARNING  w 1\nactions.python.Test: AUDIT    a\n",
		);
		const few = await runner.run({ ...options, runnerParameters: { log_level: "ERROR" } });
		assert.equal(few.result["stderr"], "actions.python.Test: AUDIT    a\n");
	});

	check("config is a dict that says which key of which file is missing", async ({ pack, runner }) => {
		const options = {
			...pack.body("config", "return [self.config['a']['b'], self.config.get('c'), dict(self.config)]"),
			packConfig: { a: { b: 1 } },
		};
		assert.deepEqual((await runner.run(options)).result["result"], [1, null, { a: { b: 1 } }]);
		const { result } = await runner.run(pack.body("config_missing", "return self.config['url']"));
		assert.match(String(result["stderr"]), /pack "tests" has no key 'url': set it in tests\.yaml/);
	});

	check(
		"the environment holds what the action and the service give, and PYTHONPATH is not the action's to set",
		async ({ pack, runner }) => {
			const url = "http://127.0.0.1:1/v1";
			const { result } = await runner.run({
				...pack.body("environment", environmentUse),
				runnerParameters: { env: ownVariables },
				environment: { SVC_ACTION_API_URL: url },
			});
			assert.deepEqual(result["result"], toSeenVariables(url));
		},
	);
}
