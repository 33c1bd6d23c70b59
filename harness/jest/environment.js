'use strict';
// Loaded before n8n-core wherever that is loaded: n8n reads its settings from the environment when it is loaded, and writes a
// settings file with an encryption key into its user folder, which must be a folder of the tests' own.
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

// Set by globalSetup, which also removes the folder; the workers must not write the same file at once.
const folder = process.env.TEST_TEMP_FOLDER ?? tmpdir();
process.env.N8N_USER_FOLDER = mkdtempSync(path.join(folder, 'n8n-'));
process.env.N8N_ENCRYPTION_KEY = 'encryption key of the tests';
process.env.N8N_DIAGNOSTICS_ENABLED = 'false';
process.env.N8N_LOG_LEVEL = 'silent';
