// test-timeout: 600
import { test } from "uvu";
import "./pages/actions-page.test-support.ts";
import "./pages/large-numbers.test-support.ts";
import "./pages/log-hostile.test-support.ts";
import "./pages/log-view.test-support.ts";
import "./pages/executions-page.test-support.ts";
import "./pages/session.test-support.ts";
import "./pages/start-page.test-support.ts";
import { closeBrowser } from "../../core/testing/web/web.test-support.ts";

// One browser serves all of these: its start takes longer than most tests.
test.after(closeBrowser);

test.run();
