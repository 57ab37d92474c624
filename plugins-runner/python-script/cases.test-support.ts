import { join } from "node:path";
import type { RunnerCases } from "../../core/testing/runner-suite.ts";
import type { PythonPack } from "./python-pack.test-support.ts";

/** Body of an action that says `ready` and goes on until it is ended. */
export const waits = "print('ready')\nwhile True: time.sleep(600)";

/** Cases of the runner suite that are the same on every engine. */
export function createCases(pack: PythonPack): RunnerCases {
	return {
		succeeds: pack.body("succeeds", "return 1"),
		fails: pack.body("fails", "return (False, 1)"),
		throws: { entryPoint: join(pack.directory, "missing.py") },
		prints: (count) => ({
			...pack.body("prints", "for i in range(parameters['count']): print('line', i + 1)"),
			actionSchema: { count: { type: "integer" } },
			actionParameters: { count },
		}),
		blocks: pack.body("blocks", waits),
		printsInvalid: pack.body("invalid", "sys.stdout.buffer.write(b'a\\xffb\\n')"),
		printsSplit: pack.body(
			"split",
			"sys.stdout.buffer.write(b'\\xc3')\nsys.stdout.flush()\ntime.sleep(0.1)\nsys.stdout.buffer.write(b'\\xa9\\n')",
		),
		closesOutput: pack.body("closes", "print('ready')\nos.close(1)\ntime.sleep(0.2)\nreturn (False, 4)"),
		hidesSecret: (secret) => ({
			...pack.body("secret", waits),
			actionSchema: { password: { type: "string", secret: true } },
			actionParameters: { password: secret },
			packConfig: { key: secret },
			environment: { SVC_ACTION_AUTH_TOKEN: secret },
		}),
	};
}
